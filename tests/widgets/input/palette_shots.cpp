// Pictures of palette and popover over a canvas: palette_shots FOLDER

#include <QApplication>
#include <QDir>
#include <QPixmap>

#include "tests/widgets/canvas/demo_scene.h"
#include "widgets/canvas/canvas_popover.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/input/op_palette_popup.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

PopoverContent dtypes() {
  PopoverContent content;
  content.title = QStringLiteral("Different dtypes");
  content.sentence = QStringLiteral("Input x is float32 (from a). scale:0 is int32.");
  content.fixes = {{QStringLiteral("Insert Cast to float32"), QStringLiteral("Enter"), {}, false}, {QStringLiteral("Make scale float32"), {}, {}, false}};
  content.hint = QStringLiteral("Tab: next fix    Esc: drop the wire");
  return content;
}

PopoverContent shapes() {
  PopoverContent content;
  content.title = QStringLiteral("Inner dimensions differ: 784 and 10");
  content.sentence = QStringLiteral("MatMul multiplies the columns of a with the rows of b.");
  content.facts = {{QStringLiteral("a  from flatten:0"), {{QStringLiteral("32"), false}, {QStringLiteral("784"), true}}},
                   {QStringLiteral("b  from W:0"), {{QStringLiteral("10"), true}, {QStringLiteral("784"), false}}}};
  content.factsNote = QStringLiteral("784 columns of a meet 10 rows of b");
  content.fixes = {{QStringLiteral("Set transpose_b to true"), {}, {}, false}, {QStringLiteral("Insert Transpose"), QStringLiteral("Alt+1"), {}, false},
                   {QStringLiteral("Break here on the next run"), {}, {}, true}, {QStringLiteral("Copy as text"), {}, {}, true}};
  content.status = QStringLiteral("INVALID_ARGUMENT: Matrix size-incompatible: In[0]: [32,784], In[1]: [10,784]");
  return content;
}

void shoot(const QString& folder, const QString& theme) {
  CanvasWidget canvas;
  canvas.resize(1360, 800);
  canvas.show();
  const auto scene = buildScene();
  canvas.setScene(scene);
  canvas.setOverlay(buildOverlay(*scene));
  WireDraft draft;
  draft.from = {208, 384};
  draft.to = {256, 240};
  draft.state = WireDraft::State::kRefused;
  canvas.live().draft = draft;
  OpPalettePopup palette(&canvas);
  palette.open({320, 480}, {0, 0});
  palette.setQuery(QStringLiteral("sofxen"));
  CanvasPopover popover(&canvas);
  popover.open(dtypes(), QRectF(246, 230, 20, 20), QRectF(208, 208, 168, 48), {});
  QCoreApplication::processEvents();
  canvas.grab().save(folder + QStringLiteral("/palette_") + theme + QStringLiteral(".png"));
  palette.hide();
  canvas.live().draft.reset();
  popover.open(shapes(), QRectF(672, 216, 120, 48), QRectF(672, 216, 120, 48), {});
  QCoreApplication::processEvents();
  canvas.grab().save(folder + QStringLiteral("/popover_") + theme + QStringLiteral(".png"));
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
  shoot(folder, theme.name());
  theme.setMode(Theme::Mode::kDark);
  shoot(folder, theme.name());
  return 0;
}
