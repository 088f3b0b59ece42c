#include "widgets/panels/outline_panel.h"

#include <QLineEdit>
#include <QScrollBar>
#include <QTreeView>
#include <QVBoxLayout>

#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/graph_facts.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kMaxSectionRows = 200;  // of a graph with thousands of variables the first ones
constexpr int kValueLetters = 14;

PartialTensorShape declaredShape(const Node& node) {
  const auto found = node.def.attr().find("shape");
  if (found == node.def.attr().end()) return {};
  const auto shape = PartialTensorShape::FromProto(found->second.shape());
  return shape.ok() ? *shape : PartialTensorShape();
}

// A tree whose rows are filled from edge to edge.
class OutlineTree : public QTreeView {
 public:
  OutlineTree() {
    setObjectName(QStringLiteral("outlineTree"));
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    setIndentation(16);
    setMouseTracking(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setExpandsOnDoubleClick(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  }
};

}  // namespace

OutlinePanel::OutlinePanel(QWidget* parent) : Panel(QStringLiteral("outline"), QStringLiteral("Outline"), parent) {
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  filter_ = new QLineEdit;
  filter_->setObjectName(QStringLiteral("outlineFilter"));
  filter_->setPlaceholderText(QStringLiteral("Filter by name"));
  filter_->setClearButtonEnabled(true);
  filter_->addAction(Theme::instance().icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
  auto* top = new QVBoxLayout;
  top->setContentsMargins(12, 10, 12, 8);
  top->addWidget(filter_);
  layout->addLayout(top);
  tree_ = new OutlineTree;
  model_ = new ScopeTreeModel(this);
  model_->setStateFunction([this](const Node& node) { return stateOf(node); });
  tree_->setModel(model_);
  tree_->setItemDelegate(new RowDelegate(tree_));
  layout->addWidget(tree_, 1);
  const auto section = [&](const QString& name, const QString& title, RowList** list) {
    auto* made = new Section(name, title);
    *list = new RowList(name + QStringLiteral("List"));
    (*list)->setMaximumRows(6);
    made->body()->addWidget(*list);
    layout->addWidget(made);
    connect(*list, &RowList::nodeClicked, this, &Panel::nodeActivated);
    return made;
  };
  inputs_section_ = section(QStringLiteral("outlineInputs"), QStringLiteral("Inputs"), &inputs_);
  fetches_section_ = section(QStringLiteral("outlineFetches"), QStringLiteral("Fetches"), &fetches_);
  variables_section_ = section(QStringLiteral("outlineVariables"), QStringLiteral("Variables"), &variables_);
  connect(inputs_, &RowList::linkClicked, this, [this](const Row& row) {
    Q_EMIT actionRequested(QStringLiteral("window.feed"), {{QStringLiteral("node"), row.node}});
  });
  connect(variables_, &RowList::linkClicked, this, [this](const Row&) { Q_EMIT actionRequested(QStringLiteral("run.init"), {}); });
  connect(filter_, &QLineEdit::textChanged, this, &OutlinePanel::scheduleRefresh);
  connect(tree_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    from_tree_ = true;
    Q_EMIT nodeActivated(model_->fullName(index));
    from_tree_ = false;
  });
  connect(tree_, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
    if (model_->isScope(index)) tree_->setExpanded(index, !tree_->isExpanded(index));
  });
  setContent(content);
}

void OutlinePanel::connectContext(QObject* guard) {
  shown_version_ = -1;
  const auto soon = [this] { scheduleRefresh(); };
  connect(context().document, &DocumentController::graphChanged, guard, soon);
  connect(context().document, &DocumentController::documentReset, guard, [this] {
    shown_version_ = -1;
    scheduleRefresh();
  });
  connect(context().document, &DocumentController::runConfigChanged, guard, soon);
  connect(context().document, &DocumentController::problemsChanged, guard, soon);
  connect(context().document->selection(), &Selection::changed, guard, [this] { showSelection(); });
  connect(context().trace, &TraceController::cursorMoved, guard, soon);
  connect(context().trace, &TraceController::traceChanged, guard, soon);
  connect(context().run, &RunController::stateChanged, guard, soon);
  connect(context().run, &RunController::resetDone, guard, soon);
}

QString OutlinePanel::valueOf(const std::string& node, int output) const {
  const TraceOutput* found = context().trace->cursor().OutputOf(node, output);
  if (!found) return {};
  if (found->value.IsInitialized() && found->value.NumElements() == 1) return toQString(ShortValueText(found->value, kValueLetters));
  return found->summary.shape ? shapeWord(*found->summary.shape) : QString();
}

ScopeTreeModel::State OutlinePanel::stateOf(const Node& node) const {
  const QString name = toQString(node.name());
  const QString op = toQString(node.op());
  if (!context().valid()) return {op, RowTone::kText2, {}, false};
  if (context().run->state() == RunState::kFailed && context().run->currentNode() == name) {
    return {QStringLiteral("failed"), RowTone::kError, QStringLiteral("error"), false};
  }
  if (with_problems_.contains(name)) return {op, RowTone::kWarn, QStringLiteral("problems"), false};
  if (isPlaceholder(node)) {
    const bool fed = isFed(context().document->runConfig(), node.name());
    if (fed) return {QStringLiteral("fed"), RowTone::kOk, {}, false};
    if (!hasDefault(node)) return {QStringLiteral("no feed"), RowTone::kWarn, {}, false};
  }
  const QString value = valueOf(node.name());
  if (!value.isEmpty()) return {value, RowTone::kText, {}, true};
  if (context().run->state() == RunState::kFailed && context().trace->hasTrace()) {
    const bool ran = context().trace->cursor().StateOf(node.name()).phase == NodePhase::kDone;
    return {ran ? QStringLiteral("ran") : QStringLiteral("not run"), RowTone::kText2, {}, false};
  }
  return {op, RowTone::kText2, {}, false};
}

void OutlinePanel::refresh() {
  if (!context().valid()) {
    showPlaceholder(QStringLiteral("No document."));
    return;
  }
  if (context().document->graph().num_nodes() == 0) {
    showPlaceholder(QStringLiteral("No nodes yet. Press Tab on the canvas."));
    return;
  }
  showContent();
  with_problems_.clear();
  for (const Diagnostic& problem : context().document->problems()) with_problems_.insert(toQString(problem.node));
  refreshTree();
  refreshInputs();
  refreshFetches();
  refreshVariables();
  showSelection();
}

void OutlinePanel::refreshTree() {
  const Graph& graph = context().document->graph();
  if (graph.version() == shown_version_ && filter_->text() == shown_filter_) {
    model_->refreshStates();
    tree_->viewport()->update();
    return;
  }
  const bool first = shown_version_ < 0;
  QStringList open;  // keep what the user opened
  if (!first) {
    std::vector<QModelIndex> stack{QModelIndex()};
    while (!stack.empty()) {
      const QModelIndex at = stack.back();
      stack.pop_back();
      for (int i = 0; i < model_->rowCount(at); ++i) {
        const QModelIndex child = model_->index(i, 0, at);
        if (!tree_->isExpanded(child)) continue;
        open << model_->fullName(child);
        stack.push_back(child);
      }
    }
  }
  const int scroll = tree_->verticalScrollBar()->value();
  model_->setGraph(graph, filter_->text());
  shown_version_ = graph.version();
  shown_filter_ = filter_->text();
  if (!shown_filter_.isEmpty() && model_->numNodes() < 2000) tree_->expandAll();
  else if (first && model_->numNodes() <= 40) expandScopes();
  for (const QString& name : open) tree_->expand(model_->indexOf(name));
  tree_->verticalScrollBar()->setValue(scroll);
}

// Not those that are nodes with parts: a variable is one thing.
void OutlinePanel::expandScopes() {
  std::vector<QModelIndex> stack{QModelIndex()};
  while (!stack.empty()) {
    const QModelIndex at = stack.back();
    stack.pop_back();
    for (int i = 0; i < model_->rowCount(at); ++i) {
      const QModelIndex child = model_->index(i, 0, at);
      if (!model_->isScope(child) || model_->isNode(child)) continue;
      tree_->expand(child);
      stack.push_back(child);
    }
  }
}

void OutlinePanel::refreshInputs() {
  const Graph& graph = context().document->graph();
  std::vector<Row> rows;
  const auto inputs = placeholdersOf(graph);
  for (const NodeId id : inputs) {
    if (static_cast<int>(rows.size()) == kMaxSectionRows) break;
    const Node& node = graph.node(id);
    const bool fed = isFed(context().document->runConfig(), node.name());
    Row row;
    row.icon = QStringLiteral("feed");
    row.icon_tone = fed || hasDefault(node) ? RowTone::kText2 : RowTone::kWarn;
    row.text = toQString(node.name());
    row.node = row.text;
    row.action = QStringLiteral("feed");
    if (fed) {
      QString text = toQString(context().document->runConfig().feeds.at(node.name() + ":0")).simplified();
      row.right = text.size() > kValueLetters ? text.left(kValueLetters - 1) + QChar(0x2026) : text;
      row.right_mono = true;
      row.tool_tip = QStringLiteral("Click the value to change it");
    } else {
      row.right = QStringLiteral("set value…");
      row.right_tone = RowTone::kAccent;
    }
    rows.push_back(std::move(row));
  }
  inputs_section_->setNote(QString::number(inputs.size()));
  inputs_section_->setVisible(!inputs.empty());
  inputs_->rows()->setRows(std::move(rows));
}

void OutlinePanel::refreshFetches() {
  const auto& chosen = context().document->runConfig().fetches;
  const std::vector<std::string> fetches = chosen.empty() ? context().run->defaultFetches() : chosen;
  std::vector<Row> rows;
  for (const std::string& fetch : fetches) {
    if (static_cast<int>(rows.size()) == kMaxSectionRows) break;
    const TensorId id = ParseTensorName(fetch);
    Row row;
    row.icon = QStringLiteral("fetch");
    row.text = toQString(fetch);
    row.node = toQString(id.node);
    row.right = valueOf(std::string(id.node), id.index);
    row.right_mono = true;
    row.right_tone = RowTone::kText;
    rows.push_back(std::move(row));
  }
  fetches_section_->setTitle(chosen.empty() ? QStringLiteral("Fetches (all outputs)") : QStringLiteral("Fetches"));
  fetches_section_->setNote(QString::number(fetches.size()));
  fetches_section_->setVisible(!fetches.empty());
  fetches_->rows()->setRows(std::move(rows));
}

void OutlinePanel::refreshVariables() {
  const Graph& graph = context().document->graph();
  const auto variables = variablesOf(graph);
  std::vector<Row> rows;
  for (const NodeId id : variables) {
    if (static_cast<int>(rows.size()) == kMaxSectionRows) break;
    const Node& node = graph.node(id);
    Row row;
    row.icon = QStringLiteral("variable");
    row.icon_tone = RowTone::kVariable;
    row.text = toQString(node.name());
    row.node = row.text;
    row.right = shapeWord(declaredShape(node));
    row.right_mono = true;
    rows.push_back(std::move(row));
  }
  variables_section_->setNote(QString::number(variables.size()));
  variables_section_->setVisible(!variables.empty());
  variables_->rows()->setRows(std::move(rows));
}

void OutlinePanel::showSelection() {
  if (!isVisible() || !context().valid()) return;
  const ItemId item = context().document->selection()->current();
  const QModelIndex index = item.valid() ? model_->indexOf(context().document->nameOf(item)) : QModelIndex();
  if (!index.isValid()) {
    tree_->clearSelection();
    tree_->setCurrentIndex(QModelIndex());
    return;
  }
  if (tree_->currentIndex() != index) tree_->setCurrentIndex(index);
  if (!from_tree_) tree_->scrollTo(index);
}

}  // namespace opscope::ui
