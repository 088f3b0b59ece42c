#pragma once
// An allocator's memory by address, as blocks.

#include <QWidget>

#include "engine/runtime/session.h"

namespace opscope::ui {

/// Blocks are as wide as their share of the bytes; those that would be thinner than a pixel are joined. UI thread.
class ChunkMap : public QWidget {
  Q_OBJECT

 public:
  explicit ChunkMap(QWidget* parent = nullptr);
  void setChunks(std::vector<AllocatorChunk> chunks);
  QSize sizeHint() const override { return {400, 64}; }
  /// Index of the chunk at a place; -1 = none.
  int chunkAt(const QPoint& position) const;

 Q_SIGNALS:
  void nodeClicked(const QString& node);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF rectOf(size_t chunk) const;
  QColor colorOf(const AllocatorChunk& chunk) const;
  std::vector<AllocatorChunk> chunks_;
  int64_t begin_ = 0, end_ = 0;
  std::vector<int64_t> starts_;  ///< Place of each chunk: its offset, or the sum of those before it where there is no map.
};

}  // namespace opscope::ui
