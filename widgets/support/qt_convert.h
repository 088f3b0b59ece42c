#pragma once
// Engine types to Qt's and back.

#include <string>
#include <string_view>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include "engine/diagram/geometry.h"

namespace opscope::ui {

inline QString toQString(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string toStdString(const QString& text) { return text.toStdString(); }
inline QStringList toQStringList(const std::vector<std::string>& texts) {
  QStringList list;
  list.reserve(static_cast<qsizetype>(texts.size()));
  for (const std::string& text : texts) list << toQString(text);
  return list;
}
inline std::vector<std::string> toStdStrings(const QStringList& texts) {
  std::vector<std::string> list;
  list.reserve(static_cast<size_t>(texts.size()));
  for (const QString& text : texts) list.push_back(text.toStdString());
  return list;
}
inline QPointF toQPointF(Point p) { return {p.x, p.y}; }
inline Point toPoint(QPointF p) { return {p.x(), p.y()}; }
inline QRectF toQRectF(const Rect& r) { return {r.x, r.y, r.width, r.height}; }
inline Rect toRect(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }

}  // namespace opscope::ui
