// Takes pictures of the canvas for looking at, and prints frame times: canvas_shots FOLDER [SCALE]

#include <chrono>
#include <cstdio>

#include <QApplication>
#include <QDir>
#include <QPixmap>

#include "tests/widgets/canvas/demo_scene.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

void shoot(CanvasWidget& canvas, const QString& path) {
  QCoreApplication::processEvents();
  canvas.grab().save(path);
}

double frameMs(CanvasWidget& canvas) {
  const auto begin = std::chrono::steady_clock::now();
  canvas.repaint();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void small(const QString& folder, const QString& theme) {
  CanvasWidget canvas;
  canvas.resize(1360, 800);
  canvas.show();
  const auto build = buildScene();
  canvas.setScene(build);
  canvas.setOverlay(buildOverlay(*build));
  Viewport view;
  view.set(1, {0, 0});
  canvas.setViewport(view);
  canvas.setSelected({6});
  shoot(canvas, folder + QStringLiteral("/build_") + theme + QStringLiteral(".png"));
  view.set(0.6, {100, 100});
  canvas.setViewport(view);
  shoot(canvas, folder + QStringLiteral("/build_60_") + theme + QStringLiteral(".png"));
  view.set(1.7, {-300, -100});
  canvas.setViewport(view);
  shoot(canvas, folder + QStringLiteral("/build_170_") + theme + QStringLiteral(".png"));
  const auto debug = debugScene();
  canvas.setScene(debug);
  canvas.setOverlay(debugOverlay(*debug));
  view.set(1, {20, 20});
  canvas.setViewport(view);
  canvas.setSelected({9});
  shoot(canvas, folder + QStringLiteral("/debug_") + theme + QStringLiteral(".png"));
}

void big(const QString& folder, const QString& theme, int count, bool scopes) {
  CanvasWidget canvas;
  canvas.resize(1640, 960);
  canvas.show();
  const auto begin = std::chrono::steady_clock::now();
  const auto scene = bigScene(count, scopes);
  const auto made = std::chrono::steady_clock::now();
  canvas.setScene(scene);
  canvas.fit(false);
  std::printf("%d nodes%s: set %.1f ms,", count, scopes ? " in scopes" : "", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - made).count());
  std::printf(" first frame %.1f ms\n", frameMs(canvas));
  (void)begin;
  const QString stem = folder + QStringLiteral("/big_%1%2_").arg(count).arg(scopes ? QStringLiteral("s") : QString());
  shoot(canvas, stem + QStringLiteral("fit_") + theme + QStringLiteral(".png"));
  for (const double zoom : {0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.55, 0.75, 0.9, 1.0, 2.0}) {
    Viewport view = canvas.viewport();
    view.set(zoom, {0, 0});
    view.centerOn(canvas.store().bounds().center(), canvas.size());
    double zoomWorst = 0;
    double panWorst = 0;
    double panSum = 0;
    for (int i = 0; i < 12; ++i) {
      Viewport step = view;
      step.zoomAt({700, 400}, 1 + 0.002 * i);
      canvas.setViewport(step);
      const double ms = frameMs(canvas);
      if (i > 0) zoomWorst = std::max(zoomWorst, ms);
    }
    for (int i = 0; i < 20; ++i) {
      canvas.panBy({13, 7});
      const double ms = frameMs(canvas);
      panWorst = std::max(panWorst, ms);
      panSum += ms;
    }
    std::printf("  zoom %.2f: zoom frame worst %.1f ms, pan mean %.1f worst %.1f ms\n", zoom, zoomWorst, panSum / 20, panWorst);
    if (zoom == 0.1 || zoom == 0.3 || zoom == 0.55) shoot(canvas, stem + QString::number(zoom) + QLatin1Char('_') + theme + QStringLiteral(".png"));
  }
}

}  // namespace
}  // namespace opscope::ui

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  using namespace opscope::ui;
  const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
  QDir().mkpath(folder);
  Theme theme(Theme::Mode::kLight);
  theme.applyToApplication();
  for (const bool dark : {false, true}) {
    theme.setMode(dark ? Theme::Mode::kDark : Theme::Mode::kLight);
    small(folder, theme.name());
  }
  theme.setMode(Theme::Mode::kLight);
  if (argc > 2) {
    const int count = QString::fromLocal8Bit(argv[2]).toInt();
    big(folder, theme.name(), count, true);
    big(folder, theme.name(), count, false);
  }
  return 0;
}
