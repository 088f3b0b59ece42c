// Pictures and frame times of graph files: graph_shots FOLDER FILE… [--open] [--top-bottom] [--dark]

#include <ctime>
#include <cstdio>

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QPixmap>

#include "tests/widgets/canvas/real_scene.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

// CPU time: others may be using the machine.
clock_t now() { return std::clock(); }
double ms(clock_t begin) {
  return 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

void shoot(const QString& folder, const QString& path, bool open, FlowDirection direction) {
  auto begin = now();
  const auto scene = layOutFile(path.toStdString(), open, direction);
  if (!scene.ok()) {
    std::printf("%s: %s\n", qPrintable(path), scene.status().ToString().c_str());
    return;
  }
  std::printf("%s: %zu items, %zu edges, layout %.0f ms;", qPrintable(QFileInfo(path).fileName()), (*scene)->items.size(), (*scene)->edges.size(), ms(begin));
  CanvasWidget canvas;
  canvas.resize(1640, 960);
  canvas.show();
  QCoreApplication::processEvents();
  begin = now();
  canvas.setScene(*scene);
  canvas.fit(false);
  canvas.repaint();
  std::printf(" set and first frame %.1f ms, zoom %.3f\n", ms(begin), canvas.zoom());
  const QString stem = folder + QLatin1Char('/') + QFileInfo(path).completeBaseName() + (open ? QStringLiteral("_open") : QString());
  canvas.grab().save(stem + QStringLiteral("_fit.png"));
  Viewport view = canvas.viewport();
  view.set(1, {60, 200 - canvas.store().bounds().top()});
  canvas.setViewport(view);
  canvas.grab().save(stem + QStringLiteral("_100.png"));
  double worst = 0;
  for (const double zoom : {0.015, 0.05, 0.1, 0.2, 0.3, 0.45, 0.55, 0.75, 0.9, 1.3}) {
    view.set(zoom, {0, 0});
    view.centerOn(canvas.store().bounds().center(), canvas.size());
    double zoomWorst = 0;
    double panWorst = 0;
    for (int i = 0; i < 8; ++i) {
      view.zoomAt({700, 400}, 1.004);
      canvas.setViewport(view);
      begin = now();
      canvas.repaint();
      if (i > 0) zoomWorst = std::max(zoomWorst, ms(begin));
    }
    for (int i = 0; i < 10; ++i) {
      canvas.panBy({23, 17});
      begin = now();
      canvas.repaint();
      panWorst = std::max(panWorst, ms(begin));
    }
    std::printf("   %.3f: zoom %.1f pan %.1f ms\n", zoom, zoomWorst, panWorst);
    worst = std::max({worst, zoomWorst, panWorst});
  }
  std::printf("   worst frame %.1f ms\n", worst);
}

}  // namespace
}  // namespace opscope::ui

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  using namespace opscope::ui;
  using opscope::FlowDirection;
  QStringList files = QCoreApplication::arguments().mid(1);
  const bool open = files.removeAll(QStringLiteral("--open")) > 0;
  const bool top = files.removeAll(QStringLiteral("--top-bottom")) > 0;
  Theme theme(files.removeAll(QStringLiteral("--dark")) > 0 ? Theme::Mode::kDark : Theme::Mode::kLight);
  theme.applyToApplication();
  if (files.size() < 2) return 2;
  const QString folder = files.takeFirst();
  QDir().mkpath(folder);
  for (const QString& file : files) shoot(folder, file, open, top ? FlowDirection::kTopBottom : FlowDirection::kLeftRight);
  return 0;
}
