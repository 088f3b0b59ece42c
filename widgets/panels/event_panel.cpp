#include "widgets/panels/event_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/panels/timeline_view.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

QToolButton* headerButton(QWidget* owner, const char* name, const QString& icon, const QString& tip) {
  auto* button = new QToolButton(owner);
  button->setObjectName(QLatin1String(name));
  button->setAutoRaise(true);
  button->setIcon(Theme::instance().icon(icon));
  button->setIconSize(QSize(16, 16));
  button->setToolTip(tip);
  button->hide();
  return button;
}

}  // namespace

EventPanel::EventPanel(QWidget* parent) : Panel(QStringLiteral("timeline"), QStringLiteral("Timeline"), parent) {
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setChildrenCollapsible(false);
  timeline_ = new TimelineView;
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(timeline_);
  splitter->addWidget(scroll);
  model_ = new EventModel(this);
  table_ = new QTableView;
  table_->setObjectName(QStringLiteral("eventTable"));
  table_->setFrameShape(QFrame::NoFrame);
  table_->setShowGrid(false);
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(24);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setFont(Theme::instance().fonts().small);
  table_->setFont(Theme::instance().fonts().small);
  const int widths[] = {48, 88, 180, 60, 96, 64, 54, 80, 76};
  for (int i = 0; i < EventModel::kColumns; ++i) table_->setColumnWidth(i, widths[i]);
  table_->horizontalHeader()->setSectionResizeMode(EventModel::kNode, QHeaderView::Stretch);
  for (const int column : {EventModel::kDevice, EventModel::kThread, EventModel::kBytes}) table_->hideColumn(column);  // the lanes tell
  splitter->addWidget(table_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  splitter->setSizes({720, 480});
  setContent(splitter);
  back_ = headerButton(this, "timelineBack", QStringLiteral("step_back"), QStringLiteral("One event back"));
  forward_ = headerButton(this, "timelineForward", QStringLiteral("step"), QStringLiteral("One event on"));
  position_ = makeLabel(TextRole::kMono);
  position_->setObjectName(QStringLiteral("timelinePosition"));
  position_->setParent(this);
  duration_ = makeLabel(TextRole::kMono, QString(), true);
  duration_->setParent(this);
  connect(back_, &QToolButton::clicked, this, [this] { moveBy(-1); });
  connect(forward_, &QToolButton::clicked, this, [this] { moveBy(1); });
  connect(timeline_, &TimelineView::seekRequested, this, [this](qint64 ns) {
    if (context().valid()) context().trace->moveToTime(ns);
  });
  connect(timeline_, &TimelineView::nodeClicked, this, &Panel::nodeActivated);
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (!context().valid()) return;
    Q_EMIT nodeActivated(model_->nodeAt(index.row()));
    context().trace->moveTo(index.row() + 1);
  });
}

EventPanel::~EventPanel() = default;

QList<QWidget*> EventPanel::headerWidgets() { return {back_, forward_, position_, duration_}; }

void EventPanel::moveBy(int events) {
  if (context().valid()) context().trace->moveTo(static_cast<qint64>(context().trace->cursor().position()) + events);
}

void EventPanel::connectContext(QObject* guard) {
  const auto soon = [this] { scheduleRefresh(); };
  connect(context().trace, &TraceController::traceChanged, guard, soon);
  connect(context().trace, &TraceController::cursorMoved, guard, soon);
  connect(context().trace, &TraceController::staleChanged, guard, soon);
}

void EventPanel::refresh() {
  const bool has = context().valid() && context().trace->hasTrace();
  if (!has) {
    position_->setText(QString());
    duration_->setText(QString());
    model_->setTrace(nullptr);
    timeline_->setTrace(nullptr);
    showPlaceholder(QStringLiteral("Run once to fill this."));
    return;
  }
  showContent();
  const TraceCursor& cursor = context().trace->cursor();
  const auto trace = context().trace->sharedTrace();
  model_->setTrace(trace);
  model_->setPosition(static_cast<qint64>(cursor.position()));
  timeline_->setTrace(trace);
  timeline_->setCursor(cursor.time_ns(), toQString(cursor.current_node()));
  const auto [begin, end] = trace->TimeRange();
  position_->setText(QStringLiteral("event %1 / %2").arg(cursor.position()).arg(trace->num_events()));
  duration_->setText(QStringLiteral("  ") + timeWord(end - begin) + (context().trace->isStale() ? QStringLiteral(" · stale") : QString()));
  back_->setEnabled(cursor.position() > 0);
  forward_->setEnabled(!cursor.at_end());
  const int row = static_cast<int>(cursor.position()) - 1;
  if (row >= 0) {
    table_->selectRow(row);
    table_->scrollTo(model_->index(row, 0));
  } else {
    table_->clearSelection();
  }
}

}  // namespace opscope::ui
