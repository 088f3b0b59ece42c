#include "widgets/panels/memory_panel.h"

#include <algorithm>

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/chunk_map.h"
#include "widgets/panels/memory_chart.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

QTableView* makeTable(AllocatorModel* model) {
  auto* table = new QTableView;
  table->setObjectName(QStringLiteral("allocatorTable"));
  table->setModel(model);
  table->setFrameShape(QFrame::NoFrame);
  table->setShowGrid(false);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionMode(QAbstractItemView::NoSelection);
  table->setFocusPolicy(Qt::NoFocus);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(24);
  table->setFont(Theme::instance().fonts().small);
  table->horizontalHeader()->setFont(Theme::instance().fonts().small);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table->horizontalHeader()->setHighlightSections(false);
  return table;
}

}  // namespace

MemoryPanel::MemoryPanel(QWidget* parent) : Panel(QStringLiteral("memory"), QStringLiteral("Memory"), parent) {
  model_ = new AllocatorModel(this);
  auto* content = new QWidget;
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  auto* main = new QVBoxLayout;
  main->setContentsMargins(0, 4, 0, 4);
  main->setSpacing(4);
  chart_ = new MemoryChart;
  main->addWidget(chart_, 1);
  auto* heading = new QHBoxLayout;
  heading->setContentsMargins(16, 2, 16, 2);
  chunk_title_ = makeLabel(TextRole::kLabel, QStringLiteral("Chunks now"));
  heading->addWidget(chunk_title_);
  chunk_text_ = makeLabel(TextRole::kSmall, QString(), true);
  chunk_text_->setObjectName(QStringLiteral("chunkText"));
  heading->addSpacing(10);
  heading->addWidget(chunk_text_, 1);
  main->addLayout(heading);
  chunks_ = new ChunkMap;
  main->addWidget(chunks_);
  table_ = makeTable(model_);
  main->addWidget(table_);
  row->addLayout(main, 1);
  auto* side = new QWidget;
  side->setFixedWidth(264);
  auto* list = new QVBoxLayout(side);
  list->setContentsMargins(0, 8, 0, 8);
  live_title_ = makeLabel(TextRole::kLabel, QStringLiteral("Alive at the cursor"));
  live_title_->setContentsMargins(12, 0, 12, 0);
  list->addWidget(live_title_);
  live_ = new RowList(QStringLiteral("liveMemoryList"));
  live_->setMaximumRows(100);
  live_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  list->addWidget(live_, 1);
  row->addWidget(side);
  allocator_ = new QComboBox(this);
  allocator_->setObjectName(QStringLiteral("memoryAllocator"));
  allocator_->setMinimumWidth(168);
  allocator_->hide();
  time_ = makeLabel(TextRole::kMono);
  time_->setParent(this);
  connect(allocator_, &QComboBox::activated, this, &MemoryPanel::scheduleRefresh);
  connect(chart_, &MemoryChart::seekRequested, this, [this](qint64 ns) {
    if (context().valid()) context().trace->moveToTime(ns);
  });
  connect(chunks_, &ChunkMap::nodeClicked, this, &Panel::nodeActivated);
  connect(live_, &RowList::nodeClicked, this, &Panel::nodeActivated);
  setContent(content);
}

QList<QWidget*> MemoryPanel::headerWidgets() { return {allocator_, time_}; }

void MemoryPanel::connectContext(QObject* guard) {
  const auto soon = [this] { scheduleRefresh(); };
  connect(context().trace, &TraceController::traceChanged, guard, soon);
  connect(context().trace, &TraceController::cursorMoved, guard, soon);
  connect(context().run, &RunController::devicesChanged, guard, soon);
  connect(context().run, &RunController::finished, guard, soon);
  connect(context().run, &RunController::resetDone, guard, soon);
}

void MemoryPanel::refresh() {
  const bool has = context().valid() && (context().trace->hasTrace() || !context().run->allocatorSnapshots().empty());
  allocator_->setEnabled(has);
  if (!has) {
    time_->setText(QString());
    showPlaceholder(QStringLiteral("Run once to fill this."));
    return;
  }
  showContent();
  const TraceCursor& cursor = context().trace->cursor();
  model_->setSnapshots(snapshotsAt(cursor, context().run->allocatorSnapshots()));
  chunk_title_->setText(cursor.at_end() ? QStringLiteral("Chunks now") : QStringLiteral("Chunks at the cursor"));
  table_->setFixedHeight(28 + 24 * std::clamp(model_->rowCount(), 1, 4));
  if (curves_of_ != context().trace->sharedTrace()) {
    curves_of_ = context().trace->sharedTrace();
    curves_ = MemoryTimeline(*curves_of_);
  }
  fillChoices();
  showChart();
  showChunks();
  showLive();
}

// The session's allocators, and those that only the trace knows (a file, a run before Reset).
void MemoryPanel::fillChoices() {
  QStringList labels;
  for (const AllocatorSnapshot& s : model_->snapshots()) labels << toQString(AllocatorLabel(s.device, s.name));
  for (const MemoryCurve& curve : curves_)
    if (!labels.contains(toQString(curve.allocator))) labels << toQString(curve.allocator);
  const QString before = allocator_->currentData().toString();
  QStringList now;
  for (int i = 0; i < allocator_->count(); ++i) now << allocator_->itemData(i).toString();
  if (now == labels) return;
  const QSignalBlocker block(allocator_);
  allocator_->clear();
  for (const QString& label : labels) {
    const QString device = label.section(QLatin1Char(' '), 0, 0);
    allocator_->addItem(deviceWord(device) + QLatin1Char(' ') + label.section(QLatin1Char(' '), 1), label);
  }
  allocator_->setCurrentIndex(std::max(allocator_->findData(before), 0));
}

void MemoryPanel::showChart() {
  const std::string label = allocator_->currentData().toString().toStdString();
  MemoryCurve curve;
  for (const MemoryCurve& c : curves_)
    if (c.allocator == label) curve = c;
  std::optional<int64_t> limit;
  for (const AllocatorSnapshot& s : model_->snapshots())
    if (AllocatorLabel(s.device, s.name) == label) limit = s.stats.bytes_limit;
  const auto [begin, end] = context().trace->trace().TimeRange();
  chart_->setCurve(curve, begin, end, limit);
  chart_->setCursor(context().trace->cursor().time_ns());
  time_->setText(context().trace->hasTrace() ? QStringLiteral("cursor ") + timeWord(context().trace->cursor().time_ns() - begin) : QString());
}

void MemoryPanel::showChunks() {
  const std::string label = allocator_->currentData().toString().toStdString();
  for (const AllocatorSnapshot& s : model_->snapshots()) {
    if (AllocatorLabel(s.device, s.name) != label) continue;
    chunks_->setChunks(s.chunks);
    const auto used = std::count_if(s.chunks.begin(), s.chunks.end(), [](const AllocatorChunk& chunk) { return chunk.in_use; });
    QString text = QStringLiteral("%1 in use in %2 pieces").arg(bytesWord(s.stats.bytes_in_use), countWord(used));
    const double fragmentation = fragmentationOf(s);
    if (used < static_cast<int64_t>(s.chunks.size())) text += QStringLiteral(", fragmentation %1 %").arg(qRound(fragmentation * 100));
    chunk_text_->setText(text);
    return;
  }
  chunks_->setChunks({});
  chunk_text_->setText(QStringLiteral("this allocator is not of the open session"));
}

void MemoryPanel::showLive() {
  constexpr size_t kMaxRows = 100;
  std::vector<Row> rows;
  int64_t total = 0;
  const auto live = LiveAt(context().trace->trace(), context().trace->cursor().position());
  for (const LiveMemory& memory : live) {
    total += memory.bytes;
    if (rows.size() == kMaxRows) continue;
    Row row;
    row.text = memory.node.empty() ? QStringLiteral("unknown") : toQString(memory.node);
    row.node = toQString(memory.node);
    row.right = bytesWord(memory.bytes);
    row.right_mono = true;
    row.right_tone = RowTone::kText;
    rows.push_back(std::move(row));
  }
  live_title_->setText(live.empty() ? QStringLiteral("Nothing alive at the cursor")
                                    : QStringLiteral("Alive at the cursor: %1").arg(bytesWord(total)));
  live_->rows()->setRows(std::move(rows));
}

}  // namespace opscope::ui
