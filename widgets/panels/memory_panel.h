#pragma once
// Memory: bytes over time, chunks by address, and the allocators' figures.

#include <vector>

#include "engine/trace/memory_timeline.h"
#include "widgets/models/allocator_model.h"
#include "widgets/panels/panel.h"

class QComboBox;
class QLabel;
class QTableView;

namespace opscope::ui {

class ChunkMap;
class MemoryChart;
class RowList;

/// UI thread.
class MemoryPanel : public Panel {
  Q_OBJECT

 public:
  explicit MemoryPanel(QWidget* parent = nullptr);
  QList<QWidget*> headerWidgets() override;

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;

 private:
  void fillChoices();
  void showChart();
  void showChunks();
  void showLive();

  QComboBox* allocator_;
  QLabel* time_;
  MemoryChart* chart_;
  QLabel* chunk_title_;
  QLabel* chunk_text_;
  ChunkMap* chunks_;
  AllocatorModel* model_;
  QTableView* table_;
  RowList* live_;
  QLabel* live_title_;
  std::shared_ptr<const RunTrace> curves_of_;
  std::vector<MemoryCurve> curves_;
};

}  // namespace opscope::ui
