// The canvas' context menu and the dialogs that it opens.

#include <algorithm>

#include <QInputDialog>
#include <QMenu>

#include "app/editor.h"
#include "app/value_dialog.h"
#include "engine/document/value_text.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/models/graph_facts.h"
#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

// What the dialog says about the value of a node.
ValueDialog::Request requestFor(const DocumentController& document, const Node& node) {
  ValueDialog::Request request;
  request.node = toQString(node.name());
  request.feed = isPlaceholder(node);
  const auto& attrs = node.def.attr();
  const auto dtype = attrs.find("dtype");
  if (dtype != attrs.end()) request.dtype = static_cast<DataType>(dtype->second.type());
  const auto shape = attrs.find("shape");
  if (shape != attrs.end()) {
    const auto parsed = PartialTensorShape::FromProto(shape->second.shape());
    if (parsed.ok()) request.shape = *parsed;
  }
  if (request.feed) {
    const auto found = document.runConfig().feeds.find(node.name() + ":0");
    if (found != document.runConfig().feeds.end()) request.text = toQString(found->second);
  }
  const auto value = attrs.find("value");
  if (value != attrs.end() && value->second.has_tensor()) {
    constexpr int64_t kMaxElements = 4096;
    const auto tensor_shape = TensorShape::FromProto(value->second.tensor().tensor_shape());
    if (tensor_shape.ok()) request.shape = PartialTensorShape(*tensor_shape);
    if (tensor_shape.ok() && tensor_shape->num_elements() <= kMaxElements) {
      const auto tensor = Tensor::FromProto(value->second.tensor());
      if (tensor.ok()) request.text = toQString(TensorToText(*tensor));
    }
  }
  return request;
}

bool isFetched(const RunConfig& config, const std::string& tensor) {
  return std::find(config.fetches.begin(), config.fetches.end(), tensor) != config.fetches.end();
}

}  // namespace

void Editor::askForValue(const QString& name) {
  const NodeId id = document_->findNode(name);
  if (!id.valid()) return;
  const ValueDialog::Request request = requestFor(*document_, document_->graph().node(id));
  auto* dialog = new ValueDialog(request, [this, name](const QString& json) -> Status {
    const NodeId node = document_->findNode(name);
    if (!node.valid()) return errors::NotFound("There is no node '", name.toStdString(), "' any more");
    return document_->setValue(node, json);
  }, this);
  dialog->open();
}

void Editor::askForName(const QString& item) {
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName(QStringLiteral("renameDialog"));
  dialog->setWindowTitle(QStringLiteral("Rename"));
  dialog->setLabelText(QStringLiteral("New name of %1").arg(item));
  dialog->setTextValue(item);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QInputDialog::textValueSelected, this, [this, item](const QString& to) {
    report(document_->renameItem(document_->itemOf(item), to.trimmed()));
  });
  dialog->open();
}

void Editor::askForDevice(const std::vector<NodeId>& nodes) {
  QStringList devices{QStringLiteral("any")};
  for (const auto& device : run_->devices()) devices << QStringLiteral("/device:") + deviceWord(toQString(device.name()));
  if (devices.size() == 1) devices << QStringLiteral("/device:CPU:0");
  QString now = QStringLiteral("any");
  if (!nodes.empty()) {
    const QString requested = toQString(document_->graph().node(nodes.front()).def.device());
    if (!requested.isEmpty()) now = requested;
    if (!devices.contains(now)) devices << now;
  }
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName(QStringLiteral("deviceDialog"));
  dialog->setWindowTitle(QStringLiteral("Set device"));
  dialog->setLabelText(nodes.size() == 1 ? QStringLiteral("Device to ask for") : QStringLiteral("Device to ask for, %1 nodes").arg(nodes.size()));
  dialog->setComboBoxItems(devices);
  dialog->setComboBoxEditable(true);
  dialog->setTextValue(now);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QInputDialog::textValueSelected, this, [this, nodes](const QString& device) {
    report(document_->setDevice(nodes, device == QLatin1String("any") ? QString() : device.trimmed()));
  });
  dialog->open();
}

void Editor::fillNodeMenu(QMenu* menu, const QString& name) {
  const NodeId id = document_->findNode(name);
  const auto icon = [this](const char* icon_name) { return theme_->icon(QLatin1String(icon_name)); };
  if (id.valid()) {
    const Node& node = document_->graph().node(id);
    const std::string tensor = node.name() + ":0";
    const bool fetched = isFetched(document_->runConfig(), tensor);
    QAction* fetch = menu->addAction(icon("fetch"), fetched ? QStringLiteral("Don't Fetch This Output") : QStringLiteral("Fetch This Output"));
    connect(fetch, &QAction::triggered, this, [this, tensor, fetched] { report(document_->setFetched(toQString(tensor), !fetched)); });
    const bool watched = std::count(document_->runConfig().watches.begin(), document_->runConfig().watches.end(), tensor) > 0;
    QAction* watch = menu->addAction(icon("watch"), watched ? QStringLiteral("Don't Watch") : QStringLiteral("Watch"));
    connect(watch, &QAction::triggered, this, [this, tensor, watched] { report(document_->setWatched(toQString(tensor), !watched)); });
    if (node.op() == "Const" || isPlaceholder(node) || isVariable(node)) {
      connect(menu->addAction(icon("feed"), QStringLiteral("Set Value…")), &QAction::triggered, this, [this, name] { askForValue(name); });
    }
    bool stops = false;
    for (const Breakpoint& breakpoint : document_->runConfig().breakpoints) stops = stops || (breakpoint.node == node.name() && breakpoint.enabled);
    connect(menu->addAction(icon(stops ? "breakpoint_off" : "breakpoint"), stops ? QStringLiteral("Remove Breakpoint   F9") : QStringLiteral("Breakpoint   F9")),
            &QAction::triggered, this, [this, name, stops] { report(document_->setBreakpoint(name, !stops)); });
    connect(menu->addAction(icon("run_to"), QStringLiteral("Run to Here")), &QAction::triggered, this,
            [this, name] { Q_EMIT actionRequested(QStringLiteral("run.to"), {{QStringLiteral("node"), name}}); });
    menu->addSeparator();
  }
  connect(menu->addAction(icon("device"), QStringLiteral("Set Device…")), &QAction::triggered, this,
          [this] { askForDevice(document_->nodesOf(selection()->items())); });
  connect(menu->addAction(QStringLiteral("Rename…")), &QAction::triggered, this, [this, name] { askForName(name); });
  if (!id.valid()) {
    connect(menu->addAction(icon("ungroup"), QStringLiteral("Ungroup")), &QAction::triggered, this,
            [this] { Q_EMIT actionRequested(QStringLiteral("scope.ungroup"), {}); });
  }
  const std::pair<const char*, const char*> more[] = {{"Group into Scope", "scope.group"}, {"Duplicate", "edit.duplicate"}, {"Copy", "edit.copy"}, {"Delete", "edit.delete"}};
  for (const auto& [text, action] : more) {
    if (QLatin1String(action) == QLatin1String("edit.duplicate")) menu->addSeparator();
    QAction* made = menu->addAction(QLatin1String(text));
    connect(made, &QAction::triggered, this, [this, action = QString::fromLatin1(action)] { Q_EMIT actionRequested(action, {}); });
  }
}

void Editor::showMenu(const QPoint& globalPos) {
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("canvasMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const ItemId item = selection()->current();
  const QString name = item.valid() ? document_->nameOf(item) : QString();
  if (!name.isEmpty()) {
    fillNodeMenu(menu, name);
  } else {
    const std::pair<const char*, const char*> entries[] = {{"Paste", "edit.paste"}, {"Select All", "select.all"}, {"Lay Out", "view.layout"}, {"Fit", "view.fit"}};
    for (const auto& [text, action] : entries) {
      connect(menu->addAction(QLatin1String(text)), &QAction::triggered, this,
              [this, action = QString::fromLatin1(action)] { Q_EMIT actionRequested(action, {}); });
    }
  }
  menu->popup(globalPos);
}

}  // namespace opscope::ui
