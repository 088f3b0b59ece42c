// Panels and their docks.

#include <QTimer>

#include "app/editor.h"
#include "app/main_window.h"
#include "app/main_window_panel_area.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/panels/device_panel.h"
#include "widgets/panels/diagnostics_panel.h"
#include "widgets/panels/event_panel.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/memory_panel.h"
#include "widgets/panels/outline_panel.h"
#include "widgets/panels/search_panel.h"
#include "widgets/panels/tensor_panel.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {

void MainWindow::buildDocks() {
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  left_ = new PanelArea(QStringLiteral("leftDock"), QStringLiteral("Left panels"), this);
  right_ = new PanelArea(QStringLiteral("rightDock"), QStringLiteral("Right panels"), this);
  bottom_ = new PanelArea(QStringLiteral("bottomDock"), QStringLiteral("Bottom panels"), this);
  left_->setMinimumWidth(200);
  right_->setMinimumWidth(240);
  bottom_->setMinimumHeight(96);
  addDockWidget(Qt::LeftDockWidgetArea, left_);
  addDockWidget(Qt::RightDockWidgetArea, right_);
  addDockWidget(Qt::BottomDockWidgetArea, bottom_);
  addPanel(left_, new OutlinePanel, true, 240);
  addPanel(left_, new SearchPanel, true, 320);
  addPanel(right_, new InspectorPanel, true, 320);
  addPanel(right_, new TensorPanel, true, 376);
  addPanel(right_, new DevicePanel, true, 376);
  addPanel(bottom_, new DiagnosticsPanel, true, 152);
  addPanel(bottom_, new EventPanel, true, 280);
  addPanel(bottom_, new MemoryPanel, true, 440);
  for (PanelArea* area : {left_, right_, bottom_}) {
    connect(area, &PanelArea::panelsChanged, this, &MainWindow::sizeDocks);
  }
}

void MainWindow::addPanel(PanelArea* area, Panel* panel, bool open, int size) {
  panels_.push_back(panel);
  area->addPanel(panel, open, size);
  connect(panel, &Panel::nodeActivated, this, [this](const QString& name) {
    actions_.trigger(QStringLiteral("view.goto"), {{QStringLiteral("node"), name}});
  });
  connect(panel, &Panel::actionRequested, this, [this](const QString& id, const QJsonObject& args) {
    if (id == QLatin1String("window.feed")) {
      if (current_) current_->askForValue(args.value(QLatin1String("node")).toString());
      return;
    }
    actions_.trigger(id, args);
  });
}

Panel* MainWindow::findPanel(const QString& name) const {
  for (Panel* panel : panels_)
    if (panel->name() == name) return panel;
  return nullptr;
}

PanelArea* MainWindow::areaOf(const Panel* panel) const {
  for (PanelArea* area : {left_, right_, bottom_})
    if (area->has(panel)) return area;
  return nullptr;
}

QStringList MainWindow::panelNames() const {
  QStringList names;
  for (const Panel* panel : panels_) names << panel->name();
  return names;
}

bool MainWindow::isPanelVisible(const QString& name) const {
  const Panel* panel = findPanel(name);
  return panel && panel->isVisible();
}

Status MainWindow::setPanelVisible(const QString& name, bool visible) {
  Panel* panel = findPanel(name);
  if (!panel) {
    return errors::NotFound("There is no panel '", name.toStdString(), "'; there are ",
                            panelNames().join(QStringLiteral(", ")).toStdString());
  }
  if (!current_ && visible) return errors::FailedPrecondition("Panels belong to a document and none is open");
  areaOf(panel)->setPanelOpen(panel, visible);
  return Status::OK();
}

void MainWindow::showPanel(const QString& name) {
  if (Panel* panel = findPanel(name); panel && current_) areaOf(panel)->setPanelOpen(panel, true);
}

void MainWindow::setDocksShown(bool shown) {
  for (PanelArea* area : {left_, right_, bottom_}) area->setVisible(shown && area->hasOpenPanels());
  // Once more when the docks have been laid out: before that they have no size to change.
  if (shown) QTimer::singleShot(0, this, &MainWindow::sizeDocks);
}

void MainWindow::sizeDocks() {
  if (!current_) return;
  const int narrow = width() < 1440 ? 280 : 1000;
  resizeDocks({left_, right_}, {left_->preferredSize(), std::min(right_->preferredSize(), narrow)}, Qt::Horizontal);
  resizeDocks({bottom_}, {std::min(bottom_->preferredSize(), height() / 2)}, Qt::Vertical);
}

void MainWindow::setTask(const QString& name) {
  const bool debug = name == QLatin1String("debug");
  const bool memory = name == QLatin1String("memory");
  const QStringList raise = memory  ? QStringList{QStringLiteral("outline"), QStringLiteral("devices"), QStringLiteral("memory")}
                            : debug ? QStringList{QStringLiteral("outline"), QStringLiteral("tensor"), QStringLiteral("timeline")}
                                    : QStringList{QStringLiteral("outline"), QStringLiteral("inspector"), QStringLiteral("problems")};
  for (const QString& panel : raise) showPanel(panel);
}

void MainWindow::setPanelContexts(Editor* editor) {
  EditorContext context;
  if (editor) context = {editor->document(), editor->run(), editor->trace()};
  for (Panel* panel : panels_) panel->setContext(context);
}

}  // namespace opscope::ui
