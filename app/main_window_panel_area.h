#pragma once
// One side's dock: panels behind tabs.

#include <vector>

#include <QDockWidget>

class QHBoxLayout;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace opscope::ui {

class Panel;

/// A dock that can't be moved; its title bar is the row of tabs. A panel that is closed loses its tab, and an area
/// without tabs is hidden. UI thread.
class PanelArea : public QDockWidget {
  Q_OBJECT

 public:
  PanelArea(const QString& name, const QString& title, QWidget* parent);

  void addPanel(Panel* panel, bool open, int preferredSize);
  const std::vector<Panel*>& panels() const { return panels_; }
  bool has(const Panel* panel) const;
  Panel* current() const;
  /// Opens (and raises) or closes a panel.
  void setPanelOpen(Panel* panel, bool open);
  bool isPanelOpen(const Panel* panel) const;
  /// Width or height that suits the current panel.
  int preferredSize() const;
  bool hasOpenPanels() const;

 Q_SIGNALS:
  /// Another panel is current, or panels were opened or closed.
  void panelsChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuildTabs();
  void showCurrent(int tab);
  void updateBadge(Panel* panel);
  int tabOf(const Panel* panel) const;

  QTabBar* tabs_;
  QStackedWidget* stack_;
  QHBoxLayout* extras_;
  QToolButton* close_;
  std::vector<Panel*> panels_;
  std::vector<bool> open_;
  std::vector<int> sizes_;
};

}  // namespace opscope::ui
