#pragma once
// The value of the selected output at the cursor: table, statistics, histogram.

#include "widgets/models/tensor_table_model.h"
#include "widgets/panels/panel.h"

class QComboBox;
class QLabel;
class QSpinBox;
class QTableView;

namespace opscope::ui {

class HistogramView;
class RowList;
class Section;
struct TensorSummaryRows;

/// UI thread.
class TensorPanel : public Panel {
  Q_OBJECT

 public:
  explicit TensorPanel(QWidget* parent = nullptr);

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;

 private:
  void showOutput(const std::string& node, int output);

  QLabel* name_;
  QLabel* facts_;
  QComboBox* output_;
  QSpinBox* slice_;
  QLabel* slice_text_;
  QWidget* slice_row_;
  QTableView* table_;
  QLabel* table_note_;
  TensorTableModel* model_;
  Section* statistics_section_;
  RowList* statistics_;
  Section* histogram_section_;
  HistogramView* histogram_;
  QString shown_node_;
};

}  // namespace opscope::ui
