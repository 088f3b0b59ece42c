#include "widgets/overlays/overlay.h"

#include <array>

#include <QCoreApplication>

namespace opscope::ui {
namespace {

struct Name {
  const char* id;
  const char* title;
};
constexpr std::array<Name, 8> kNames = {{{"none", QT_TRANSLATE_NOOP("Overlay", "None")},
                                         {"order", QT_TRANSLATE_NOOP("Overlay", "Execution order")},
                                         {"device", QT_TRANSLATE_NOOP("Overlay", "Device")},
                                         {"memory", QT_TRANSLATE_NOOP("Overlay", "Memory")},
                                         {"time", QT_TRANSLATE_NOOP("Overlay", "Time")},
                                         {"health", QT_TRANSLATE_NOOP("Overlay", "Health")},
                                         {"dtype", QT_TRANSLATE_NOOP("Overlay", "Data type")},
                                         {"shape", QT_TRANSLATE_NOOP("Overlay", "Shape")}}};

}  // namespace

QString overlayName(OverlayKind kind) { return QLatin1String(kNames[static_cast<size_t>(kind)].id); }

std::optional<OverlayKind> overlayFromName(const QString& name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == QLatin1String(kNames[i].id)) return static_cast<OverlayKind>(i);
  }
  return std::nullopt;
}

QString overlayTitle(OverlayKind kind) {
  return QCoreApplication::translate("Overlay", kNames[static_cast<size_t>(kind)].title);
}

}  // namespace opscope::ui
