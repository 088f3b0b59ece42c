#include "widgets/canvas/spatial_index.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {
namespace {

constexpr int kLargeCells = 64;
constexpr double kMinCell = 128;

}  // namespace

void SpatialIndex::reset(const QRectF& bounds, size_t count) {
  bounds_ = bounds.isValid() ? bounds.adjusted(-1, -1, 1, 1) : QRectF(0, 0, 1, 1);
  const double area = bounds_.width() * bounds_.height();
  const double wanted = std::clamp<double>(static_cast<double>(count), 16, 1 << 18);
  cell_ = std::max(kMinCell, std::sqrt(area / wanted));
  const auto cells = [this](double length) {
    return static_cast<int>(std::clamp(std::ceil(length / cell_), 1.0, 65536.0));
  };
  columns_ = cells(bounds_.width());
  rows_ = cells(bounds_.height());
  // A diagram that is one long row would otherwise get a grid far larger than its content.
  while (static_cast<double>(columns_) * rows_ > 4.0 * (1 << 18)) {
    cell_ *= 2;
    columns_ = cells(bounds_.width());
    rows_ = cells(bounds_.height());
  }
  pending_.clear();
  large_.clear();
  largeRects_.clear();
  maxId_ = -1;
}

SpatialIndex::Cells SpatialIndex::cellsOf(const QRectF& rect) const {
  const auto index = [this](double at, double origin, int limit) {
    return static_cast<int>(std::clamp(std::floor((at - origin) / cell_), 0.0, static_cast<double>(limit - 1)));
  };
  return {index(rect.left(), bounds_.left(), columns_), index(rect.top(), bounds_.top(), rows_),
          index(rect.right(), bounds_.left(), columns_), index(rect.bottom(), bounds_.top(), rows_)};
}

void SpatialIndex::addRect(int32_t id, const QRectF& rect) {
  maxId_ = std::max(maxId_, id);
  const Cells c = cellsOf(rect);
  if ((c.x1 - c.x0 + 1) * static_cast<int64_t>(c.y1 - c.y0 + 1) > kLargeCells) {
    large_.push_back(id);
    largeRects_.push_back(rect);
    return;
  }
  for (int y = c.y0; y <= c.y1; ++y) {
    for (int x = c.x0; x <= c.x1; ++x) pending_.push_back({static_cast<uint32_t>(y * columns_ + x), id});
  }
}

void SpatialIndex::addSegment(int32_t id, QPointF a, QPointF b) {
  const Cells c = cellsOf(QRectF(a, b).normalized());
  if (c.x0 == c.x1 || c.y0 == c.y1) {
    for (int y = c.y0; y <= c.y1; ++y) {
      for (int x = c.x0; x <= c.x1; ++x) pending_.push_back({static_cast<uint32_t>(y * columns_ + x), id});
    }
    return;
  }
  // A slanted one: row by row, the columns that it passes there.
  for (int y = c.y0; y <= c.y1; ++y) {
    const double top = bounds_.top() + y * cell_;
    const double t0 = std::clamp((top - a.y()) / (b.y() - a.y()), 0.0, 1.0);
    const double t1 = std::clamp((top + cell_ - a.y()) / (b.y() - a.y()), 0.0, 1.0);
    const Cells row = cellsOf(QRectF(QPointF(a.x() + (b.x() - a.x()) * t0, top),
                                     QPointF(a.x() + (b.x() - a.x()) * t1, top)).normalized());
    for (int x = row.x0; x <= row.x1; ++x) pending_.push_back({static_cast<uint32_t>(y * columns_ + x), id});
  }
}

void SpatialIndex::addPolyline(int32_t id, std::span<const QPointF> points) {
  maxId_ = std::max(maxId_, id);
  for (size_t i = 1; i < points.size(); ++i) addSegment(id, points[i - 1], points[i]);
}

void SpatialIndex::finish() {
  const size_t cells = static_cast<size_t>(columns_) * static_cast<size_t>(rows_);
  starts_.assign(cells + 1, 0);
  for (const Entry& entry : pending_) ++starts_[entry.cell + 1];
  for (size_t i = 0; i < cells; ++i) starts_[i + 1] += starts_[i];
  ids_.resize(pending_.size());
  std::vector<uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (const Entry& entry : pending_) ids_[next[entry.cell]++] = entry.id;
  pending_.clear();
  pending_.shrink_to_fit();
  seen_.assign(static_cast<size_t>(maxId_ + 1), 0);
  stamp_ = 0;
}

void SpatialIndex::query(const QRectF& rect, std::vector<int32_t>& result) const {
  result.clear();
  if (maxId_ < 0) return;
  if (!rect.intersects(bounds_) && !bounds_.contains(rect.topLeft())) return;
  ++stamp_;
  const auto take = [&](int32_t id) {
    uint32_t& seen = seen_[static_cast<size_t>(id)];
    if (seen == stamp_) return;
    seen = stamp_;
    result.push_back(id);
  };
  for (size_t i = 0; i < large_.size(); ++i) {
    if (largeRects_[i].intersects(rect) || largeRects_[i].contains(rect.topLeft())) take(large_[i]);
  }
  const Cells c = cellsOf(rect);
  for (int y = c.y0; y <= c.y1; ++y) {
    const size_t row = static_cast<size_t>(y) * static_cast<size_t>(columns_);
    for (uint32_t i = starts_[row + static_cast<size_t>(c.x0)]; i < starts_[row + static_cast<size_t>(c.x1) + 1]; ++i) {
      take(ids_[i]);
    }
  }
  std::sort(result.begin(), result.end());
}

size_t SpatialIndex::bytes() const {
  return starts_.capacity() * sizeof(uint32_t) + ids_.capacity() * sizeof(int32_t) +
         seen_.capacity() * sizeof(uint32_t) + large_.capacity() * (sizeof(int32_t) + sizeof(QRectF));
}

}  // namespace opscope::ui
