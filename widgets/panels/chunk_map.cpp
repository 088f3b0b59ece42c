#include "widgets/panels/chunk_map.h"

#include <algorithm>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kBlock = 44;

}  // namespace

ChunkMap::ChunkMap(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("chunkMap"));
  setFixedHeight(64);
  setMouseTracking(true);
}

void ChunkMap::setChunks(std::vector<AllocatorChunk> chunks) {
  chunks_ = std::move(chunks);
  starts_.clear();
  // Allocators without a region of their own report no offsets: blocks then stand side by side.
  // So they do where most of the range belongs to others: the pieces would be too thin to see.
  int64_t bytes = 0;
  int64_t range = 0;
  for (const AllocatorChunk& chunk : chunks_) {
    bytes += chunk.size;
    range = std::max(range, chunk.offset + chunk.size);
  }
  constexpr int kLeastShare = 4;
  const bool addressed = range > 0 && bytes >= range / kLeastShare;
  int64_t at = 0;
  for (const AllocatorChunk& chunk : chunks_) {
    starts_.push_back(addressed ? chunk.offset : at);
    at = starts_.back() + chunk.size;
  }
  begin_ = starts_.empty() ? 0 : starts_.front();
  end_ = at;
  update();
}

QRectF ChunkMap::rectOf(size_t chunk) const {
  const double whole = static_cast<double>(std::max<int64_t>(end_ - begin_, 1));
  const double left = 16 + (width() - 32) * static_cast<double>(starts_[chunk] - begin_) / whole;
  const double size = (width() - 32) * static_cast<double>(chunks_[chunk].size) / whole;
  return {left, 0, size, kBlock};
}

QColor ChunkMap::colorOf(const AllocatorChunk& chunk) const {
  const ThemeColors& c = Theme::instance().colors();
  if (!chunk.in_use) return c.field;
  return chunk.node.empty() ? c.io : c.device[1];
}

int ChunkMap::chunkAt(const QPoint& position) const {
  for (size_t i = 0; i < chunks_.size(); ++i)
    if (rectOf(i).contains(position)) return static_cast<int>(i);
  return -1;
}

void ChunkMap::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  const ThemeFonts& fonts = Theme::instance().fonts();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  double painted = -1;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    const AllocatorChunk& chunk = chunks_[i];
    QRectF rect = rectOf(i);
    if (rect.right() < painted + 0.5) continue;
    rect.setWidth(std::max(rect.width(), 1.0));
    painted = rect.right();
    const QRectF box = rect.adjusted(0.5, 0.5, rect.width() > 6 ? -2.5 : 0, -0.5);
    QPen pen(chunk.in_use ? c.nodeBorder : c.control, 1);
    if (!chunk.in_use) pen.setDashPattern({3, 3});
    painter.setPen(rect.width() > 6 ? pen : QPen(Qt::NoPen));
    painter.setBrush(chunk.in_use ? (rect.width() > 6 ? c.panel : colorOf(chunk)) : c.field);
    painter.drawRoundedRect(box, 2, 2);
    if (rect.width() <= 6) continue;
    if (chunk.in_use) painter.fillRect(QRectF(box.left() + 2, box.top() + 3, 3, box.height() - 6), colorOf(chunk));
    if (rect.width() < 44) continue;
    const QRectF text = box.adjusted(10, 4, -4, -4);
    painter.setFont(fonts.small);
    painter.setPen(chunk.in_use ? c.text : c.text2);
    const QString name = chunk.in_use ? (chunk.node.empty() ? QStringLiteral("unknown") : toQString(chunk.node)) : QStringLiteral("free");
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, QFontMetrics(fonts.small).elidedText(name, Qt::ElideMiddle, static_cast<int>(text.width())));
    painter.setFont(fonts.mono);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignBottom, QFontMetrics(fonts.mono).elidedText(bytesWord(chunk.size), Qt::ElideRight, static_cast<int>(text.width())));
  }
  painter.setFont(fonts.mono);
  painter.setPen(c.text2);
  const QRect scale(16, kBlock + 2, width() - 32, 16);
  painter.drawText(scale, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0x%1").arg(begin_, 0, 16));
  painter.drawText(scale, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("0x%1").arg(end_, 0, 16));
}

void ChunkMap::mouseReleaseEvent(QMouseEvent* event) {
  const int chunk = chunkAt(event->position().toPoint());
  if (chunk >= 0 && !chunks_[static_cast<size_t>(chunk)].node.empty()) Q_EMIT nodeClicked(toQString(chunks_[static_cast<size_t>(chunk)].node));
}

bool ChunkMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int at = chunkAt(help->pos());
  if (at < 0) {
    QToolTip::hideText();
    return true;
  }
  const AllocatorChunk& chunk = chunks_[static_cast<size_t>(at)];
  QToolTip::showText(help->globalPos(), QStringLiteral("%1\n%2 taken, %3 asked for, at 0x%4")
                                            .arg(chunk.in_use ? toQString(chunk.node) : QStringLiteral("free"), bytesWord(chunk.size), bytesWord(chunk.requested))
                                            .arg(chunk.offset, 0, 16), this);
  return true;
}

}  // namespace opscope::ui
