#pragma once
// Laid-out, elided labels. Shaping a label costs ten times its drawing, and the same few hundred are drawn each frame.

#include <QColor>
#include <QFont>
#include <QHash>
#include <QPainter>
#include <QStaticText>
#include <QString>

namespace opscope::ui {

struct ThemeFonts;

enum class TextRole : quint8 {
  kLabel,      ///< 13/600
  kSmall,      ///< 11/400
  kMono,       ///< 11 monospace
  kSmallBold,  ///< 11/600: op types on small cards, badges
  kCount
};

class TextCache {
 public:
  struct Text {
    QStaticText text;
    double width = 0;
    double height = 0;
  };

  /// Forgets all labels.
  void setFonts(const ThemeFonts& fonts);
  const QFont& font(TextRole role) const { return fonts_[static_cast<size_t>(role)]; }

  /// `text` elided in the middle to `maxWidth` (no limit below 0). Valid until the next call.
  const Text& get(TextRole role, const QString& text, double maxWidth = -1);
  double width(TextRole role, const QString& text) { return get(role, text).width; }

  enum class Align : quint8 { kLeft, kRight, kCenter };
  /// Draws with its vertical middle at `at.y`; returns the width drawn.
  double draw(QPainter& painter, TextRole role, const QString& text, QPointF at, const QColor& color,
              double maxWidth = -1, Align align = Align::kLeft);

 private:
  static constexpr int kMaxEntries = 12000;
  struct Key {
    QString text;
    quint32 widthAndRole = 0;
    friend bool operator==(const Key& a, const Key& b) { return a.widthAndRole == b.widthAndRole && a.text == b.text; }
    friend size_t qHash(const Key& key, size_t seed) { return qHashMulti(seed, key.text, key.widthAndRole); }
  };
  QFont fonts_[static_cast<size_t>(TextRole::kCount)];
  QHash<Key, Text> cache_;
};

}  // namespace opscope::ui
