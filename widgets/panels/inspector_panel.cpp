#include "widgets/panels/inspector_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/graph_facts.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/icon_label.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

InspectorPanel::InspectorPanel(QWidget* parent) : Panel(QStringLiteral("inspector"), QStringLiteral("Inspector"), parent) {
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  buildHead(layout);
  buildSections(layout);
  layout->addStretch();
  scroll->setWidget(content);
  setContent(scroll);
}

void InspectorPanel::buildHead(QVBoxLayout* layout) {
  auto* head = new QHBoxLayout;
  head->setContentsMargins(16, 14, 16, 10);
  head->setSpacing(10);
  icon_ = new IconLabel(20);
  head->addWidget(icon_, 0, Qt::AlignTop);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  title_ = makeLabel(TextRole::kLabel);
  title_->setObjectName(QStringLiteral("inspectorTitle"));
  subtitle_ = makeLabel(TextRole::kSmall, QString(), true);
  subtitle_->setObjectName(QStringLiteral("inspectorSubtitle"));
  subtitle_->setWordWrap(true);
  subtitle_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  texts->addWidget(title_);
  texts->addWidget(subtitle_);
  head->addLayout(texts, 1);
  layout->addLayout(head);
  auto* cards = new QVBoxLayout;
  cards->setContentsMargins(16, 0, 16, 12);
  card_ = new StateCard(QStringLiteral("inspectorCard"));
  cards->addWidget(card_);
  read_only_ = makeLabel(TextRole::kSmall, QStringLiteral("Read-only while a run is going on."), true);
  cards->addWidget(read_only_);
  layout->addLayout(cards);
  connect(card_, &StateCard::clicked, this, [this] { Q_EMIT actionRequested(QStringLiteral("run.init"), {}); });
}

void InspectorPanel::buildSections(QVBoxLayout* layout) {
  const auto section = [&](const char* name, const char* title) {
    auto* made = new Section(QStringLiteral("inspector") + QLatin1String(name), QLatin1String(title));
    layout->addWidget(made);
    return made;
  };
  const auto list = [this](Section* owner, const char* name) {
    auto* made = new RowList(QLatin1String(name));
    made->setMaximumRows(12);
    owner->body()->addWidget(made);
    connect(made, &RowList::nodeClicked, this, &Panel::nodeActivated);
    return made;
  };
  facts_section_ = section("Facts", "Document");
  facts_ = list(facts_section_, "factsList");
  value_section_ = section("Value", "Value");
  auto* value_rows = new FormRows;
  value_ = new QLineEdit;
  value_->setObjectName(QStringLiteral("valueField"));
  value_->setFont(Theme::instance().fonts().mono);
  value_rows->addRow(QStringLiteral("Value"), value_);
  value_note_ = makeLabel(TextRole::kSmall, QString(), true);
  value_note_->setContentsMargins(16, 2, 16, 0);
  value_note_->setWordWrap(true);
  value_section_->body()->addWidget(value_rows);
  value_section_->body()->addWidget(value_note_);
  connect(value_, &QLineEdit::editingFinished, this, [this] {
    if (!context().valid() || !node_.valid() || !value_->isModified()) return;
    value_->setModified(false);
    report(context().document->setValue(node_, value_->text()));
  });
  inputs_section_ = section("Inputs", "Inputs");
  inputs_ = list(inputs_section_, "inputsList");
  attributes_section_ = section("Attributes", "Attributes");
  attributes_ = new FormRows;
  attributes_section_->body()->addWidget(attributes_);
  device_section_ = section("Device", "Device");
  auto* device_rows = new FormRows;
  device_ = new QComboBox;
  device_->setObjectName(QStringLiteral("deviceField"));
  device_->setEditable(true);
  device_->setInsertPolicy(QComboBox::NoInsert);
  assigned_ = makeLabel(TextRole::kBody);
  assigned_->setObjectName(QStringLiteral("assignedDevice"));
  device_rows->addRow(QStringLiteral("Requested"), device_);
  device_rows->addRow(QStringLiteral("Assigned"), assigned_);
  device_section_->body()->addWidget(device_rows);
  const auto send = [this] {
    if (!context().valid() || !node_.valid()) return;
    QString text = device_->currentText().trimmed();
    if (text == QLatin1String("any")) text.clear();
    const QString before = toQString(context().document->graph().node(node_).def.device());
    if (text != before) report(context().document->setDevice({node_}, text));
  };
  connect(device_, &QComboBox::activated, this, send);
  connect(device_->lineEdit(), &QLineEdit::editingFinished, this, send);
  outputs_section_ = section("Outputs", "Outputs");
  outputs_ = list(outputs_section_, "outputsList");
  parts_section_ = section("Parts", "Parts");
  parts_ = list(parts_section_, "partsList");
  readers_section_ = section("Readers", "Readers");
  readers_ = list(readers_section_, "readersList");
}

void InspectorPanel::connectContext(QObject* guard) {
  const auto soon = [this] { scheduleRefresh(); };
  DocumentController* document = context().document;
  connect(document->selection(), &Selection::changed, guard, [this] {
    refusal_.clear();
    scheduleRefresh();
  });
  connect(document, &DocumentController::graphChanged, guard, soon);
  connect(document, &DocumentController::documentReset, guard, soon);
  connect(document, &DocumentController::problemsChanged, guard, soon);
  connect(document, &DocumentController::runConfigChanged, guard, soon);
  connect(context().run, &RunController::stateChanged, guard, soon);
  connect(context().run, &RunController::finished, guard, soon);
  connect(context().run, &RunController::devicesChanged, guard, soon);
  connect(context().trace, &TraceController::cursorMoved, guard, soon);
  connect(context().trace, &TraceController::traceChanged, guard, soon);
}

bool InspectorPanel::editable() const { return context().valid() && context().run->state() != RunState::kRunning; }

void InspectorPanel::report(const Status& status) {
  refusal_ = status.ok() ? QString() : toQString(status.message());
  if (!status.ok()) shown_fields_.clear();  // the fields show what the document has
  scheduleRefresh();
}

void InspectorPanel::refresh() {
  showContent();
  node_ = NodeId();
  const ItemId item = context().valid() ? context().document->selection()->current() : ItemId();
  const QString name = item.valid() ? context().document->nameOf(item) : QString();
  read_only_->setVisible(context().valid() && !editable());
  if (name.isEmpty()) {
    showNothing();
    return;
  }
  const NodeId id = context().document->findNode(name);
  if (id.valid()) showNode(id);
  else showScope(name);
}

void InspectorPanel::showHead(const QString& icon, int tone, const QString& title, const QString& subtitle) {
  icon_->setIcon(icon, static_cast<RowTone>(tone));
  title_->setText(title);
  subtitle_->setText(subtitle);
}

void InspectorPanel::showNothing() {
  name_.clear();
  const bool document = context().valid();
  const size_t wires = document ? context().document->selection()->wires().size() : 0;
  showHead(QStringLiteral("inspector"), static_cast<int>(RowTone::kText2),
           wires > 0 ? QStringLiteral("%1 wire%2 selected").arg(wires).arg(wires == 1 ? QString() : QStringLiteral("s"))
                     : QStringLiteral("Nothing selected"),
           document ? context().document->title() : QStringLiteral("No document."));
  card_->hide();
  for (Section* section : {value_section_, attributes_section_, device_section_, inputs_section_, outputs_section_, parts_section_, readers_section_}) section->hide();
  facts_section_->setVisible(document);
  if (document) facts_->rows()->setRows(documentFacts());
}

void InspectorPanel::showScope(const QString& name) {
  const bool other = name != name_;
  name_ = name;
  for (Section* section : {facts_section_, value_section_, device_section_, inputs_section_, outputs_section_, readers_section_}) section->hide();
  const ScopeId scope = context().document->hierarchy()->Find(name.toStdString());
  const int ops = scope.valid() ? context().document->hierarchy()->scope(scope).op_count : 0;
  showHead(QStringLiteral("scope"), static_cast<int>(RowTone::kText2), name.section(QLatin1Char('/'), -1),
           QStringLiteral("scope %1 · %2 ops").arg(name, countWord(ops)));
  card_->setVisible(false);
  if (!refusal_.isEmpty()) card_->show(StateCard::Kind::kError, QStringLiteral("Not changed"), refusal_);
  if (other || shown_fields_.empty()) rebuildAttributes(name);
  attributes_section_->show();
  showParts(name);
}

void InspectorPanel::showNode(NodeId id) {
  node_ = id;
  const Node& node = context().document->graph().node(id);
  facts_section_->hide();
  const TraceOutput* output = context().trace->cursor().OutputOf(node.name(), 0);
  QString subtitle = toQString(node.name());
  if (output && output->summary.dtype != DT_INVALID) {
    subtitle += QStringLiteral(" · ") + dtypeWord(output->summary.dtype);
    if (output->summary.shape) subtitle += QLatin1Char(' ') + shapeWord(*output->summary.shape);
  }
  showHead(iconOfOp(node.op()), static_cast<int>(toneOf(categoryOf(node.op()))), toQString(node.op()), subtitle);
  showCard(node);
  showValue(node);
  showAttributes(node);
  showDevice(node);
  showInputs(node);
  showOutputs(node);
  showParts(toQString(node.name()));
  showReaders(node);
}

void InspectorPanel::showCard(const Node& node) {
  card_->hide();
  card_->setToolTip(QString());
  const QString name = toQString(node.name());
  if (!refusal_.isEmpty()) {
    card_->show(StateCard::Kind::kError, QStringLiteral("Not changed"), refusal_);
    return;
  }
  const RunResult& result = context().run->result();
  const bool stopped = context().run->state() == RunState::kFailed;
  // A variable that was read too early is no fault of the graph: say what to do. Its parts stand for it on the canvas.
  const bool uninitialised = stopped && isVariable(node) && result.status.code() == Code::kFailedPrecondition &&
                             (context().run->currentNode() == name || context().run->currentNode().startsWith(name + QLatin1Char('/')));
  if (uninitialised || (stopped && context().run->currentNode() == name)) {
    if (uninitialised) card_->show(StateCard::Kind::kWarn, QStringLiteral("Not initialised"), statusLine(result.status), QStringLiteral("Initialise   F6"));
    else card_->show(StateCard::Kind::kError, QStringLiteral("Failed: ") + statusCode(result.status), statusLine(result.status));
    card_->setToolTip(toQString(result.status.message()));
    return;
  }
  for (const Diagnostic& problem : context().document->problems()) {
    if (problem.node != node.name()) continue;
    card_->show(StateCard::Kind::kWarn, QStringLiteral("Problem"), toQString(problem.message));
    return;
  }
  if (isPlaceholder(node) && !hasDefault(node) && !isFed(context().document->runConfig(), node.name())) {
    card_->show(StateCard::Kind::kInfo, QStringLiteral("No value"), QStringLiteral("A run that needs it fails until it is fed: give it a value below."));
  }
}

}  // namespace opscope::ui
