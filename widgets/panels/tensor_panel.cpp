#include "widgets/panels/tensor_panel.h"

#include <cmath>

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/trace/tensor_summary.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/histogram_view.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

std::vector<Row> statisticsRows(const TensorSummary& summary) {
  std::vector<Row> rows;
  const auto add = [&](const QString& name, const QString& value, RowTone tone = RowTone::kText) {
    Row row;
    row.text = name;
    row.right = value;
    row.right_mono = true;
    row.right_tone = tone;
    rows.push_back(std::move(row));
  };
  const auto number = [](double value) { return QString::number(value, 'g', 7); };
  if (summary.has_numbers) {
    add(QStringLiteral("min"), number(summary.min));
    add(QStringLiteral("max"), number(summary.max));
    add(QStringLiteral("mean"), number(summary.mean));
    add(QStringLiteral("NaN"), countWord(summary.nan_count), summary.nan_count > 0 ? RowTone::kError : RowTone::kOk);
    add(QStringLiteral("Inf"), countWord(summary.inf_count), summary.inf_count > 0 ? RowTone::kError : RowTone::kOk);
  }
  add(QStringLiteral("bytes"), bytesWord(summary.bytes));
  return rows;
}

}  // namespace

TensorPanel::TensorPanel(QWidget* parent) : Panel(QStringLiteral("tensor"), QStringLiteral("Tensor"), parent) {
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 14, 0, 0);
  layout->setSpacing(8);
  auto* head = new QVBoxLayout;
  head->setContentsMargins(16, 0, 16, 0);
  head->setSpacing(4);
  auto* top = new QHBoxLayout;
  name_ = makeLabel(TextRole::kLabel);
  name_->setObjectName(QStringLiteral("tensorName"));
  name_->setMinimumWidth(40);
  name_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  top->addWidget(name_, 1);
  output_ = new QComboBox;
  output_->setObjectName(QStringLiteral("tensorOutput"));
  top->addWidget(output_);
  head->addLayout(top);
  facts_ = makeLabel(TextRole::kSmall, QString(), true);
  facts_->setObjectName(QStringLiteral("tensorFacts"));
  facts_->setWordWrap(true);
  head->addWidget(facts_);
  slice_row_ = new QWidget;
  auto* slices = new QHBoxLayout(slice_row_);
  slices->setContentsMargins(0, 4, 0, 0);
  slices->addWidget(makeLabel(TextRole::kSmall, QStringLiteral("Slice"), true));
  slice_ = new QSpinBox;
  slice_->setObjectName(QStringLiteral("tensorSlice"));
  slices->addWidget(slice_);
  slice_text_ = makeLabel(TextRole::kMono);
  slices->addWidget(slice_text_, 1);
  head->addWidget(slice_row_);
  layout->addLayout(head);
  table_ = new QTableView;
  table_->setObjectName(QStringLiteral("tensorTable"));
  table_->setFrameShape(QFrame::NoFrame);
  table_->setShowGrid(false);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->verticalHeader()->setDefaultSectionSize(24);
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setDefaultSectionSize(72);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->setCornerButtonEnabled(false);
  model_ = new TensorTableModel(this);
  table_->setModel(model_);
  table_->verticalHeader()->setMinimumWidth(36);
  auto* framed = new QHBoxLayout;
  framed->setContentsMargins(12, 0, 12, 0);
  framed->addWidget(table_);
  layout->addLayout(framed, 1);
  table_note_ = makeLabel(TextRole::kSmall, QString(), true);
  table_note_->setContentsMargins(16, 0, 16, 0);
  layout->addWidget(table_note_);
  statistics_section_ = new Section(QStringLiteral("tensorStatistics"), QStringLiteral("Statistics"));
  statistics_ = new RowList(QStringLiteral("tensorStatisticsList"));
  statistics_section_->body()->addWidget(statistics_);
  layout->addWidget(statistics_section_);
  histogram_section_ = new Section(QStringLiteral("tensorHistogram"), QStringLiteral("Histogram"));
  histogram_ = new HistogramView;
  histogram_section_->body()->addWidget(histogram_);
  layout->addWidget(histogram_section_);
  connect(output_, &QComboBox::activated, this, &TensorPanel::scheduleRefresh);
  connect(slice_, &QSpinBox::valueChanged, this, &TensorPanel::scheduleRefresh);
  setContent(content);
}

void TensorPanel::connectContext(QObject* guard) {
  const auto soon = [this] { scheduleRefresh(); };
  connect(context().document->selection(), &Selection::changed, guard, soon);
  connect(context().document, &DocumentController::documentReset, guard, soon);
  connect(context().document, &DocumentController::graphChanged, guard, soon);
  connect(context().trace, &TraceController::cursorMoved, guard, soon);
  connect(context().trace, &TraceController::traceChanged, guard, soon);
}

void TensorPanel::refresh() {
  const ItemId item = context().valid() ? context().document->selection()->current() : ItemId();
  const QString name = item.valid() ? context().document->nameOf(item) : QString();
  if (name.isEmpty() || !context().document->findNode(name).valid()) {
    showPlaceholder(QStringLiteral("Pick an output on the canvas."));
    return;
  }
  if (!context().trace->hasTrace()) {
    showPlaceholder(QStringLiteral("Run once to see the value of %1.").arg(name));
    return;
  }
  const std::string node = name.toStdString();
  int outputs = 0;
  while (outputs < 256 && context().trace->cursor().OutputOf(node, outputs)) ++outputs;
  if (outputs == 0) {
    const bool ran = context().trace->cursor().StateOf(node).phase == NodePhase::kDone;
    showPlaceholder(ran ? QStringLiteral("%1 has no outputs.").arg(name)
                        : QStringLiteral("%1 was not computed at this moment of the run.").arg(name));
    return;
  }
  showContent();
  const int chosen = shown_node_ == name ? std::clamp(output_->currentIndex(), 0, outputs - 1) : 0;
  shown_node_ = name;
  {
    const QSignalBlocker block(output_);
    if (output_->count() != outputs) {
      output_->clear();
      for (int i = 0; i < outputs; ++i) output_->addItem(QStringLiteral(":%1").arg(i));
    }
    output_->setCurrentIndex(chosen);
  }
  output_->setVisible(outputs > 1);
  showOutput(node, chosen);
}

void TensorPanel::showOutput(const std::string& node, int output) {
  const TraceCursor& cursor = context().trace->cursor();
  const TraceOutput& found = *cursor.OutputOf(node, output);
  const TensorSummary summary = SummaryOf(found);
  name_->setText(name_->fontMetrics().elidedText(toQString(node) + QStringLiteral(":%1").arg(output), Qt::ElideMiddle, width() - 100));
  QStringList facts;
  if (summary.dtype != DT_INVALID) facts << dtypeWord(summary.dtype);
  if (summary.shape) facts << shapeWord(*summary.shape);
  facts << QStringLiteral("value after event %1").arg(cursor.position());
  if (context().trace->isStale()) facts << QStringLiteral("before the last edit");
  facts_->setText(facts.join(QStringLiteral(" · ")));
  const Tensor& value = found.value;
  {
    const QSignalBlocker block(slice_);
    model_->setTensor(value, slice_->value());
    slice_->setRange(0, static_cast<int>(std::clamp<int64_t>(model_->numSlices() - 1, 0, 1'000'000'000)));
  }
  slice_row_->setVisible(model_->numSlices() > 1);
  slice_text_->setText(model_->sliceText(slice_->value()));
  QString note;
  if (summary.dtype == DT_INVALID) note = QStringLiteral("Dead: the branch was not taken.");
  else if (found.dropped) note = QStringLiteral("Value not kept: the budget was used up. Run again to see it.");
  else if (!value.IsInitialized()) note = QStringLiteral("A reference: it has no value of its own.");
  else if (model_->truncated()) note = QStringLiteral("%1 rows and %2 columns are shown").arg(countWord(model_->rowCount()), countWord(model_->columnCount()));
  table_note_->setText(note);
  table_note_->setVisible(!note.isEmpty());
  table_->setVisible(value.IsInitialized());
  statistics_->rows()->setRows(statisticsRows(summary));
  histogram_section_->setVisible(summary.has_numbers && value.IsInitialized() && value.NumElements() > 1);
  histogram_->setTensor(value, summary);
}

}  // namespace opscope::ui
