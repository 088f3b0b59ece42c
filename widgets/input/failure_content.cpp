#include "widgets/input/failure_content.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QRegularExpression>

#include "widgets/controllers/document_controller.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"

namespace opscope::ui {
namespace {

using Shape = std::vector<std::string>;

QString tr(const char* text) { return QCoreApplication::translate("Failure", text); }

QString joined(const Shape& shape) {
  QStringList parts;
  for (const std::string& dim : shape) parts << toQString(dim);
  return parts.isEmpty() ? tr("scalar") : parts.join(QChar(0xd7));
}

PopoverContent::Fact chips(const QString& label, const Shape& shape, std::initializer_list<size_t> bad) {
  PopoverContent::Fact fact;
  fact.label = label;
  for (size_t i = 0; i < shape.size(); ++i) {
    fact.chips.push_back({toQString(shape[i]), std::find(bad.begin(), bad.end(), i) != bad.end()});
  }
  if (shape.empty()) fact.chips.push_back({tr("scalar"), true});
  return fact;
}

/// "a  from flatten:0" for input `i`.
QString inputLabel(const DocumentController& document, const QString& node, int i, const QString& name) {
  const NodeId id = document.findNode(node);
  if (!id.valid()) return name;
  const auto& def = document.graph().node(id).def;
  return i < def.input_size() ? name + QStringLiteral("  ") + tr("from %1").arg(toQString(def.input(i))) : name;
}

bool boolAttr(const DocumentController& document, const QString& node, const char* attr) {
  const NodeId id = document.findNode(node);
  if (!id.valid()) return false;
  const auto& attrs = document.graph().node(id).def.attr();
  const auto it = attrs.find(attr);
  return it != attrs.end() && it->second.b();
}

PopoverContent::Fix attrFix(DocumentController* document, const QString& node, const QString& attr, bool value) {
  const QString text = value ? tr("Set %1 to true").arg(attr) : tr("Set %1 to false").arg(attr);
  return {text, QString(), [document, node, attr, value] {
            const NodeId id = document->findNode(node);
            if (id.valid()) (void)document->setAttr(id, attr, value ? QStringLiteral("true") : QStringLiteral("false"));
          }, false};
}

void explainMatMul(PopoverContent* content, const std::vector<Shape>& shapes, const QString& node, DocumentController* document) {
  const Shape& a = shapes[0];
  const Shape& b = shapes[1];
  if (a.size() != 2 || b.size() != 2) return;
  const bool ta = boolAttr(*document, node, "transpose_a");
  const bool tb = boolAttr(*document, node, "transpose_b");
  const size_t inA = ta ? 0 : 1;
  const size_t inB = tb ? 1 : 0;
  content->title = tr("Inner dimensions differ: %1 and %2").arg(toQString(a[inA]), toQString(b[inB]));
  content->sentence = tr("MatMul multiplies the columns of a with the rows of b.");
  content->facts = {chips(inputLabel(*document, node, 0, QStringLiteral("a")), a, {inA}), chips(inputLabel(*document, node, 1, QStringLiteral("b")), b, {inB})};
  content->factsNote = tr("%1 columns of a meet %2 rows of b").arg(toQString(a[inA]), toQString(b[inB]));
  if (a[inA] == b[1 - inB]) content->fixes.push_back(attrFix(document, node, QStringLiteral("transpose_b"), !tb));
  if (a[1 - inA] == b[inB]) content->fixes.push_back(attrFix(document, node, QStringLiteral("transpose_a"), !ta));
}

void explainShapes(PopoverContent* content, const std::vector<Shape>& shapes, const QString& node, const DocumentController& document) {
  content->title = tr("Shapes don't fit: %1 and %2").arg(joined(shapes[0]), joined(shapes[1]));
  content->sentence = tr("Dimensions are compared from the right: they must be equal, or one of them 1.");
  // From the right, as broadcasting does.
  PopoverContent::Fact x = chips(inputLabel(document, node, 0, QStringLiteral("x")), shapes[0], {});
  PopoverContent::Fact y = chips(inputLabel(document, node, 1, QStringLiteral("y")), shapes[1], {});
  for (size_t i = 1; i <= std::min(x.chips.size(), y.chips.size()); ++i) {
    PopoverContent::Chip& cx = x.chips[x.chips.size() - i];
    PopoverContent::Chip& cy = y.chips[y.chips.size() - i];
    if (cx.text == cy.text || cx.text == QLatin1String("1") || cy.text == QLatin1String("1")) continue;
    cx.bad = cy.bad = true;
  }
  content->facts = {std::move(x), std::move(y)};
}

}  // namespace

std::vector<std::vector<std::string>> shapesIn(const std::string& message) {
  static const QRegularExpression kShape(QStringLiteral("\\[([0-9?,]*)\\]"));
  std::vector<Shape> shapes;
  const QString text = QString::fromStdString(message.substr(0, 4096)).remove(QStringLiteral("In[0]")).remove(QStringLiteral("In[1]"));
  auto matches = kShape.globalMatch(text);
  while (matches.hasNext() && shapes.size() < 8) {
    Shape shape;
    const QStringList parts = matches.next().captured(1).split(QLatin1Char(','), Qt::SkipEmptyParts);
    for (const QString& part : parts) shape.push_back(part.toStdString());
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

PopoverContent failureContent(const Status& status, const QString& node, DocumentController* document,
                              const std::function<void(const QString& action)>& runAction) {
  PopoverContent content;
  const std::string& message = status.message();
  content.title = statusTitle(status);
  content.sentence = statusLine(status);
  content.status = statusCode(status) + QStringLiteral(": ") + statusLine(status);
  const auto has = [&message](const char* part) { return message.find(part) != std::string::npos; };
  const std::vector<Shape> shapes = shapesIn(message);
  if (has("Matrix size-incompatible") && shapes.size() >= 2) {
    explainMatMul(&content, shapes, node, document);
  } else if (has("Incompatible shapes") && shapes.size() >= 2) {
    explainShapes(&content, shapes, node, *document);
  } else if (has("uninitialized value")) {
    content.title = tr("Not initialised");
    // "… uninitialized value v": the variable, which need not be the node that stopped.
    const size_t at = message.find("uninitialized value ") + std::string_view("uninitialized value ").size();
    const std::string variable = message.substr(at, message.find_first_of(" \n\t", at) - at);
    content.sentence = tr("%1 has no value yet. Initialise gives variables their first value.").arg(toQString(variable));
    content.warning = true;
    content.icon = QStringLiteral("problems");
    if (runAction) content.fixes.push_back({tr("Initialise"), QStringLiteral("Enter"), [runAction] { runAction(QStringLiteral("run.init")); }, false});
  } else if (has("must feed a value")) {
    content.title = tr("No value fed");
    content.sentence = tr("%1 gets its value from outside. Give it one, then run again.").arg(node);
    content.warning = true;
    content.icon = QStringLiteral("feed");
  }
  content.fixes.push_back({tr("Break here on the next run"), QString(), [document, node] { (void)document->setBreakpoint(node, true); }, true});
  content.fixes.push_back({tr("Copy as text"), QString(), [text = statusDetails(status)] { QGuiApplication::clipboard()->setText(text); }, true});
  return content;
}

}  // namespace opscope::ui
