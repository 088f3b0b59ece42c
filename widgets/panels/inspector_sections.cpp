// What stands in the inspector's sections.

#include <algorithm>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "engine/document/value_text.h"
#include "engine/framework/op_registry.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/graph_facts.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int64_t kMaxEditableElements = 256;
constexpr size_t kMaxRows = 500;

// The text of a Const's value, or what is said instead of a large one.
struct ValueText {
  QString text;
  QString note;
  bool editable = true;
};

ValueText constText(const Node& node) {
  const auto found = node.def.attr().find("value");
  if (found == node.def.attr().end()) return {};
  const auto shape = TensorShape::FromProto(found->second.tensor().tensor_shape());
  const QString dtype = dtypeWord(static_cast<DataType>(found->second.tensor().dtype()));
  if (!shape.ok()) return {{}, toQString(shape.status().message()), true};
  const QString note = dtype + QLatin1Char(' ') + shapeWord(*shape);
  if (shape->num_elements() > kMaxEditableElements) return {{}, note + QStringLiteral(": too large to edit here"), false};
  const auto tensor = Tensor::FromProto(found->second.tensor());
  if (!tensor.ok()) return {{}, toQString(tensor.status().message()), true};
  return {toQString(TensorToText(*tensor)), note, true};
}

// Where a variable's initial value stands: the Const that its Assign reads.
const Node* initialValue(const Graph& graph, const Node& variable) {
  for (const OutEdge& out : variable.out_edges) {
    if (!graph.has(out.dst)) continue;
    const Node& assign = graph.node(out.dst);
    if ((assign.op() != "Assign" && assign.op() != "AssignVariableOp") || out.dst_input != 0) continue;
    for (const InEdge& in : assign.in_edges)
      if (in.dst_input == 1 && graph.has(in.src)) return &graph.node(in.src);
  }
  return nullptr;
}

ValueText valueText(const DocumentController& document, const Node& node) {
  if (node.op() == "Const") return constText(node);
  if (isPlaceholder(node)) {
    const auto& feeds = document.runConfig().feeds;
    const auto found = feeds.find(node.name() + ":0");
    const QString text = found == feeds.end() ? QString() : toQString(found->second);
    return {text, QStringLiteral("What a run feeds: a value such as 3 or [[1, 2]], or @file.npy"), text.size() < 4096};
  }
  const Node* initial = initialValue(document.graph(), node);
  if (!initial) return {{}, QStringLiteral("The graph gives no initial value."), true};
  if (initial->op() == "Const") {
    ValueText text = constText(*initial);
    text.note = QStringLiteral("Initial value, ") + text.note;
    return text;
  }
  return {toQString(initial->op()), QStringLiteral("Initial value from %1").arg(toQString(initial->name())), false};
}

QString sourceName(const Graph& graph, const InEdge& edge) {
  return toQString(TensorIdToString(graph.node(edge.src).name(), edge.src_output));
}

QString outputWord(const TraceOutput& output) {
  if (output.value.IsInitialized() && output.value.NumElements() <= 8) return toQString(ShortValueText(output.value, 22));
  const TensorSummary& summary = output.summary;
  if (summary.dtype == DT_INVALID) return QStringLiteral("dead");
  return dtypeWord(summary.dtype) + (summary.shape ? QLatin1Char(' ') + shapeWord(*summary.shape) : QString());
}

}  // namespace

void InspectorPanel::showValue(const Node& node) {
  const bool has = node.op() == "Const" || isPlaceholder(node) || isVariable(node);
  value_section_->setVisible(has);
  if (!has) return;
  value_section_->setTitle(isPlaceholder(node) ? QStringLiteral("Fed value") : isVariable(node) ? QStringLiteral("Initial value") : QStringLiteral("Value"));
  const ValueText value = valueText(*context().document, node);
  const bool same = toQString(node.name()) == name_;
  if (!(same && value_->hasFocus() && value_->isModified())) {
    value_->setText(value.text);
    value_->setCursorPosition(0);
    value_->setModified(false);
  }
  value_->setReadOnly(!value.editable || !editable());
  value_->setPlaceholderText(isPlaceholder(node) ? QStringLiteral("not fed") : QString());
  value_note_->setText(value.note);
}

void InspectorPanel::showAttributes(const Node& node) {
  attributes_section_->show();
  const QString name = toQString(node.name());
  std::vector<AttrField> fields = attrFields(node);
  attributes_->setEnabled(editable());
  if (name == name_ && fields == shown_fields_) return;
  shown_fields_ = std::move(fields);
  name_ = name;
  rebuildAttributes(name);
}

void InspectorPanel::rebuildAttributes(const QString& name) {
  if (!node_.valid()) shown_fields_.clear();
  attributes_->clear();
  auto* field = new QLineEdit(name);
  field->setObjectName(QStringLiteral("nameField"));
  field->setCursorPosition(0);
  connect(field, &QLineEdit::editingFinished, this, [this, field, name] {
    if (!context().valid() || !field->isModified() || field->text() == name) return;
    field->setModified(false);
    report(context().document->renameItem(context().document->itemOf(name), field->text()));
  });
  attributes_->addRow(QStringLiteral("Name"), field);
  for (const AttrField& attr : shown_fields_) attributes_->addRow(attr.name, attributeField(attr), attr.tool_tip);
}

QWidget* InspectorPanel::attributeField(const AttrField& field) {
  const QString object_name = QStringLiteral("attr.") + field.name;
  const auto send = [this, attr = field.name, before = field.text](const QString& text) {
    if (!context().valid() || !node_.valid() || text == before) return;
    // By the event loop: the edit makes the fields anew, this one too.
    QMetaObject::invokeMethod(this, [this, attr, text, node = node_] {
      if (context().valid() && context().document->graph().has(node)) report(context().document->setAttr(node, attr, text));
    }, Qt::QueuedConnection);
  };
  if (!field.allowed.isEmpty()) {
    auto* box = new QComboBox;
    box->setObjectName(object_name);
    if (field.inferred) box->addItem(QStringLiteral("from the wires"), QString());
    for (const QString& choice : field.allowed) {
      QString word = choice;
      box->addItem(word.remove(QLatin1Char('"')), choice);
    }
    int at = box->findData(field.inferred ? QString() : field.text);
    if (at < 0) {
      QString word = field.text;
      box->addItem(word.remove(QLatin1Char('"')), field.text);
      at = box->count() - 1;
    }
    box->setCurrentIndex(at);
    connect(box, &QComboBox::activated, this, [send, box](int index) {
      if (!box->itemData(index).toString().isEmpty()) send(box->itemData(index).toString());
    });
    return box;
  }
  auto* edit = new QLineEdit(field.text);
  edit->setObjectName(object_name);
  edit->setFont(Theme::instance().fonts().mono);
  edit->setCursorPosition(0);
  edit->setReadOnly(field.text.size() > 4096);
  connect(edit, &QLineEdit::editingFinished, this, [send, edit] {
    if (!edit->isModified()) return;
    edit->setModified(false);
    send(edit->text());
  });
  return edit;
}

void InspectorPanel::showDevice(const Node& node) {
  device_section_->show();
  device_->setEnabled(editable());
  const QString requested = toQString(node.def.device());
  if (!device_->lineEdit()->hasFocus() || !device_->lineEdit()->isModified()) {
    const QSignalBlocker block(device_);
    device_->clear();
    device_->addItem(QStringLiteral("any"));
    for (const auto& device : context().run->devices()) device_->addItem(QStringLiteral("/device:") + deviceWord(toQString(device.name())));
    device_->setCurrentText(requested.isEmpty() ? QStringLiteral("any") : requested);
  }
  const auto& placement = context().run->placement();
  const auto found = placement.find(node.name());
  assigned_->setText(found == placement.end() ? QStringLiteral("after a run") : deviceWord(toQString(found->second)));
  assigned_->setToolTip(found == placement.end() ? QString() : toQString(found->second));
  assigned_->setForegroundRole(found == placement.end() ? QPalette::PlaceholderText : QPalette::WindowText);
}

void InspectorPanel::showInputs(const Node& node) {
  const Graph& graph = context().document->graph();
  const OpRegistrationData* op = OpRegistry::Global().Find(node.op());
  std::vector<Row> rows;
  for (const InEdge& edge : node.in_edges) {
    if (rows.size() == kMaxRows) break;
    Row row;
    row.text = edge.dst_input < 0 ? QStringLiteral("after") : op ? toQString(InputName(node.def, op->op_def, edge.dst_input)) : QString::number(edge.dst_input);
    row.right = sourceName(graph, edge);
    row.right_tone = RowTone::kAccent;
    row.node = toQString(graph.node(edge.src).name());
    row.tool_tip = row.node;
    rows.push_back(std::move(row));
  }
  inputs_section_->setNote(QString::number(node.in_edges.size()));
  inputs_section_->setVisible(!rows.empty());
  inputs_->rows()->setRows(std::move(rows));
}

void InspectorPanel::showOutputs(const Node& node) {
  std::vector<Row> rows;
  const OpRegistrationData* op = OpRegistry::Global().Find(node.op());
  for (int i = 0; rows.size() < kMaxRows; ++i) {
    const TraceOutput* output = context().trace->cursor().OutputOf(node.name(), i);
    if (!output) break;
    Row row;
    const QString name = op ? toQString(OutputName(node.def, op->op_def, i)) : QString();
    row.text = name.isEmpty() ? QStringLiteral(":%1").arg(i) : name;
    row.right = outputWord(*output);
    row.right_mono = true;
    row.right_tone = output->summary.healthy() ? RowTone::kText : RowTone::kError;
    rows.push_back(std::move(row));
  }
  if (const TraceExecution* run = context().trace->trace().LastExecution(node.name(), context().trace->cursor().position())) {
    Row row;
    row.text = QStringLiteral("Compute time");
    row.right = timeWord(run->compute_ns());
    row.right_mono = true;
    rows.push_back(std::move(row));
  }
  outputs_section_->setTitle(context().trace->isStale() ? QStringLiteral("Outputs (before the last edit)") : QStringLiteral("Outputs"));
  outputs_section_->setVisible(!rows.empty());
  outputs_->rows()->setRows(std::move(rows));
}

void InspectorPanel::showReaders(const Node& node) {
  const Graph& graph = context().document->graph();
  std::vector<Row> rows;
  for (const OutEdge& edge : node.out_edges) {
    if (rows.size() == kMaxRows) break;
    const Node& reader = graph.node(edge.dst);
    const OpRegistrationData* op = OpRegistry::Global().Find(reader.op());
    Row row;
    row.text = toQString(reader.name());
    row.node = row.text;
    row.right = edge.dst_input < 0 ? QStringLiteral("runs after it")
                : op ? QStringLiteral("input ") + toQString(InputName(reader.def, op->op_def, edge.dst_input))
                     : QStringLiteral("input %1").arg(edge.dst_input);
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.text < b.text; });
  readers_section_->setNote(QString::number(node.out_edges.size()));
  readers_section_->setVisible(!rows.empty());
  readers_->rows()->setRows(std::move(rows));
}

void InspectorPanel::showParts(const QString& scope) {
  const auto hierarchy = context().document->hierarchy();
  const Graph& graph = context().document->graph();
  std::vector<Row> rows;
  size_t total = 0;
  const ScopeId id = hierarchy ? hierarchy->Find(scope.toStdString()) : ScopeId();
  if (id.valid()) {
    const std::vector<NodeId> ops = hierarchy->OpsInside(id);
    total = ops.size();
    for (const NodeId op : ops) {
      if (rows.size() == kMaxRows) break;
      if (!graph.has(op)) continue;
      const Node& node = graph.node(op);
      Row row;
      row.text = toQString(node.name());
      row.node = row.text;
      row.right = toQString(node.op());
      rows.push_back(std::move(row));
    }
  }
  parts_section_->setNote(QStringLiteral("%1 nodes").arg(countWord(static_cast<int64_t>(total))));
  parts_section_->setVisible(!rows.empty());
  parts_->rows()->setRows(std::move(rows));
}

std::vector<Row> InspectorPanel::documentFacts() const {
  const DocumentController& document = *context().document;
  const Graph& graph = document.graph();
  const auto fact = [](const QString& name, const QString& value, bool mono = true) {
    Row row;
    row.text = name;
    row.right = value;
    row.right_mono = mono;
    row.right_tone = RowTone::kText;
    row.tool_tip = value;
    return row;
  };
  std::vector<Row> rows;
  rows.push_back(fact(QStringLiteral("Nodes"), countWord(static_cast<int64_t>(graph.num_nodes()))));
  rows.push_back(fact(QStringLiteral("Edges"), countWord(static_cast<int64_t>(graph.num_edges()))));
  if (document.hierarchy()) rows.push_back(fact(QStringLiteral("Scopes"), countWord(static_cast<int64_t>(document.hierarchy()->num_scopes()) - 1)));
  rows.push_back(fact(QStringLiteral("Functions"), countWord(graph.library().function_size())));
  rows.push_back(fact(QStringLiteral("Producer version"), graph.has_versions() ? QString::number(graph.versions().producer()) : QStringLiteral("none")));
  rows.push_back(fact(QStringLiteral("Problems"), countWord(static_cast<int64_t>(document.problems().size()))));
  rows.push_back(fact(QStringLiteral("File"), document.path().isEmpty() ? QStringLiteral("not saved yet") : document.path(), false));
  return rows;
}

}  // namespace opscope::ui
