#include "app/main_window_toolbar.h"

#include <algorithm>

#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QResizeEvent>

#include "app/editor.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/models/graph_facts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

QColor mixed(const QColor& color, double strength) { return blend(Theme::instance().colors().window, color, strength); }

void drawIcon(QPainter& painter, const QString& name, const QColor& color, QRect rect, int size) {
  painter.drawPixmap(QRect(rect.left(), rect.center().y() - size / 2 + 1, size, size),
                     Theme::instance().pixmap(name, color, size, painter.device()->devicePixelRatioF()));
}

void drawFocus(QPainter& painter, const QWidget* widget) {
  if (!widget->hasFocus()) return;
  painter.setPen(QPen(Theme::instance().colors().accent, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(widget->rect()).adjusted(1, 1, -1, -1), ThemeMetrics::radius, ThemeMetrics::radius);
}

QWidget* gap(int width) {
  auto* widget = new QWidget;
  widget->setFixedWidth(width);
  return widget;
}

}  // namespace

RunButton::RunButton(QWidget* parent) : QToolButton(parent) {
  setObjectName(QStringLiteral("runButton"));
  setFocusPolicy(Qt::TabFocus);
  setFixedHeight(ThemeMetrics::button);
  setLook(QStringLiteral("run"), QStringLiteral("Run"), QStringLiteral("F5"), 112);
}

void RunButton::setLook(const QString& icon, const QString& text, const QString& key, int width) {
  icon_ = icon;
  text_ = text;
  key_ = key;
  setAccessibleName(text);
  setFixedWidth(width);
  update();
}

void RunButton::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor fill = isEnabled() ? c.accent : c.pressed;
  if (isEnabled() && isDown()) fill = mixed(c.accent, 0.8);
  else if (isEnabled() && underMouse()) fill = mixed(c.accent, 0.9);
  painter.setPen(Qt::NoPen);
  painter.setBrush(fill);
  painter.drawRoundedRect(rect(), ThemeMetrics::radius, ThemeMetrics::radius);
  const QColor text = isEnabled() ? c.onAccent : c.disabled;
  drawIcon(painter, icon_, text, rect().adjusted(10, 0, 0, 0), 18);
  painter.setPen(text);
  painter.setFont(Theme::instance().fonts().label);
  painter.drawText(rect().adjusted(36, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text_);
  painter.setFont(Theme::instance().fonts().small);
  painter.drawText(rect().adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter, key_);
  if (hasFocus()) {
    painter.setPen(QPen(c.onAccent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(2.5, 2.5, -2.5, -2.5), 4, 4);
  }
}

FieldButton::FieldButton(const QString& name, const QString& icon, const QString& caption, QWidget* parent)
    : QToolButton(parent), icon_(icon), caption_(caption) {
  setObjectName(name);
  setFocusPolicy(Qt::TabFocus);
  setPopupMode(QToolButton::InstantPopup);
  setFixedSize(184, ThemeMetrics::button);
  setValue(QStringLiteral("none"));
}

void FieldButton::setValue(const QString& value, bool warn) {
  value_ = value;
  warn_ = warn;
  setAccessibleName(caption_ + QLatin1Char(' ') + value);
  update();
}

void FieldButton::setCompact(bool compact) {
  compact_ = compact;
  setFixedWidth(compact ? 52 : 184);
}

void FieldButton::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  const ThemeFonts& fonts = Theme::instance().fonts();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(c.control, 1));
  painter.setBrush(isDown() ? c.pressed : underMouse() ? c.hover : c.panel);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), ThemeMetrics::radius, ThemeMetrics::radius);
  const QColor text = isEnabled() ? c.text : c.disabled;
  drawIcon(painter, icon_, warn_ ? c.warn : text, rect().adjusted(10, 0, 0, 0), 16);
  drawIcon(painter, QStringLiteral("chevron_down"), c.text2, rect().adjusted(width() - 22, 0, 0, 0), 12);
  if (!compact_) {
    painter.setFont(fonts.small);
    painter.setPen(isEnabled() ? c.text2 : c.disabled);
    const int left = 32;
    painter.drawText(rect().adjusted(left, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, caption_);
    const int x = left + QFontMetrics(fonts.small).horizontalAdvance(caption_) + 6;
    const QRect rest = rect().adjusted(x, 0, -26, 0);
    painter.setFont(fonts.body);
    painter.setPen(text);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(fonts.body).elidedText(value_, Qt::ElideMiddle, rest.width()));
  }
  drawFocus(painter, this);
}

OverlaySwitch::OverlaySwitch(ActionRegistry* actions, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("overlaySwitch"));
  setFixedHeight(ThemeMetrics::button);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(3, 0, 3, 0);
  row->setSpacing(2);
  for (const ActionRegistry::Entry& entry : actions->entries()) {
    if (entry.spec.id != QLatin1String("view.overlay")) continue;
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("tool.") + entry.spec.alias);
    button->setDefaultAction(entry.action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setIconSize(QSize(18, 18));
    button->setFixedHeight(26);
    connect(entry.action, &QAction::toggled, this, &OverlaySwitch::updateNames);
    connect(entry.action, &QAction::changed, this, &OverlaySwitch::updateNames);
    row->addWidget(button);
    buttons_.append(button);
  }
  updateNames();
}

void OverlaySwitch::updateNames() {
  for (QToolButton* button : buttons_) {
    const bool named = button->isChecked() && !compact_;
    button->setToolButtonStyle(named ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    if (named && button->defaultAction()->objectName() == QLatin1String("view.overlay#none")) button->setText(QStringLiteral("None"));
  }
}

void OverlaySwitch::setCompact(bool compact) {
  compact_ = compact;
  updateNames();
}

void OverlaySwitch::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(c.control, 1));
  painter.setBrush(c.panel);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), ThemeMetrics::radius, ThemeMetrics::radius);
}

MainToolBar::MainToolBar(ActionRegistry* actions, Theme* theme, QWidget* parent) : QToolBar(parent), actions_(actions) {
  (void)theme;
  setObjectName(QStringLiteral("toolBar"));
  setWindowTitle(QStringLiteral("Toolbar"));
  setMovable(false);
  setFloatable(false);
  setFixedHeight(ThemeMetrics::toolbar);
  setIconSize(QSize(ThemeMetrics::iconTool, ThemeMetrics::iconTool));
  setContextMenuPolicy(Qt::PreventContextMenu);
  addWidget(gap(4));
  addButtons({QStringLiteral("edit.undo"), QStringLiteral("edit.redo")});
  addSeparator();
  addButtons({QStringLiteral("view.direction"), QStringLiteral("view.layout"), QStringLiteral("view.fit")});
  addSeparator();
  run_ = new RunButton;
  addWidget(run_);
  connect(run_, &QToolButton::clicked, this, [this] {
    const bool paused = editor_ && editor_->run()->state() == RunState::kPaused;
    actions_->trigger(paused ? QStringLiteral("run.continue") : QStringLiteral("run.start"));
  });
  addButtons({QStringLiteral("run.stop"), QStringLiteral("run.init")});
  addSeparator();
  addButtons({QStringLiteral("run.step_back"), QStringLiteral("run.step"), QStringLiteral("run.step#into"),
              QStringLiteral("run.step#out"), QStringLiteral("run.to"), QStringLiteral("run.first_bad")});
  addSeparator();
  fetch_ = new FieldButton(QStringLiteral("fetchButton"), QStringLiteral("fetch"), QStringLiteral("Fetch"));
  fetch_->setMenu(new QMenu(fetch_));
  connect(fetch_->menu(), &QMenu::aboutToShow, this, &MainToolBar::fillFetchMenu);
  addWidget(fetch_);
  addWidget(gap(4));
  feeds_ = new FieldButton(QStringLiteral("feedsButton"), QStringLiteral("feed"), QStringLiteral("Feeds"));
  feeds_->setMenu(new QMenu(feeds_));
  connect(feeds_->menu(), &QMenu::aboutToShow, this, &MainToolBar::fillFeedMenu);
  addWidget(feeds_);
  addButtons({QStringLiteral("run.live")});
  auto* stretch = new QWidget;
  stretch->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(stretch);
  overlays_ = new OverlaySwitch(actions);
  addWidget(overlays_);
  addWidget(gap(6));
}

void MainToolBar::addButtons(const QStringList& ids) {
  for (const QString& id : ids) {
    QAction* action = actions_->action(id);
    if (!action) continue;  // not in this build
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("tool.") + id);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setFixedSize(ThemeMetrics::button, ThemeMetrics::button);
    QAction* place = addWidget(button);
    // What a small window gives up first: each is in the Debug menu and has a key.
    const bool spare = id == QLatin1String("run.step#into") || id == QLatin1String("run.step#out") || id == QLatin1String("run.to");
    if (spare) spare_.push_back(place);
  }
}

void MainToolBar::resizeEvent(QResizeEvent* event) {
  constexpr int kLeastForAll = 1100;
  for (QAction* place : spare_) place->setVisible(event->size().width() >= kLeastForAll);
  QToolBar::resizeEvent(event);
}

void MainToolBar::setCompact(bool compact) {
  fetch_->setCompact(compact);
  feeds_->setCompact(compact);
  overlays_->setCompact(compact);
}

void MainToolBar::updateFor(Editor* editor) {
  editor_ = editor;
  const bool paused = editor && editor->run()->state() == RunState::kPaused;
  const QString id = paused ? QStringLiteral("run.continue") : QStringLiteral("run.start");
  if (paused) run_->setLook(QStringLiteral("continue"), QStringLiteral("Continue"), QStringLiteral("F5"), 128);
  else run_->setLook(QStringLiteral("run"), QStringLiteral("Run"), QStringLiteral("F5"), 112);
  const QAction* action = actions_->action(id);
  run_->setEnabled(action && action->isEnabled());
  if (action) run_->setToolTip(action->toolTip());
  fetch_->setEnabled(editor != nullptr);
  feeds_->setEnabled(editor != nullptr);
  updateFetch();
  updateFeeds();
}

void MainToolBar::updateFetch() {
  if (!editor_) {
    fetch_->setValue(QStringLiteral("none"));
    return;
  }
  const auto& chosen = editor_->document()->runConfig().fetches;
  const QStringList names = toQStringList(chosen.empty() ? editor_->run()->defaultFetches() : chosen);
  QString text = names.isEmpty() ? QStringLiteral("none") : names.size() <= 2 ? names.join(QStringLiteral(", "))
                 : QStringLiteral("%1 + %2 more").arg(names.first()).arg(names.size() - 1);
  fetch_->setValue(text);
  fetch_->setToolTip(chosen.empty() ? QStringLiteral("What a run gives: every output that nobody reads\n") + names.mid(0, 20).join(QLatin1Char('\n'))
                                    : QStringLiteral("What a run gives\n") + names.mid(0, 20).join(QLatin1Char('\n')));
}

void MainToolBar::updateFeeds() {
  if (!editor_) {
    feeds_->setValue(QStringLiteral("none"));
    return;
  }
  const Graph& graph = editor_->document()->graph();
  const auto inputs = placeholdersOf(graph);
  QStringList names;
  int fed = 0;
  int needed = 0;
  for (const NodeId id : inputs) {
    names << toQString(graph.node(id).name());
    const bool has = isFed(editor_->document()->runConfig(), graph.node(id).name());
    fed += has ? 1 : 0;
    needed += has || !hasDefault(graph.node(id)) ? 1 : 0;
  }
  const QString more = names.size() > 2 ? QStringLiteral(" + %1").arg(names.size() - 1) : QString();
  QString text = names.isEmpty() ? QStringLiteral("none") : names.size() <= 2 ? names.join(QStringLiteral(", ")) : names.first() + more;
  if (fed < needed) text = QStringLiteral("%1 · %2 of %3 set").arg(names.first()).arg(fed).arg(needed);
  feeds_->setValue(text, fed < needed);
  feeds_->setToolTip(names.isEmpty() ? QStringLiteral("The graph has no placeholders")
                                     : QStringLiteral("Values that a run is given: %1 of %2 set").arg(fed).arg(needed));
}

void MainToolBar::fillFetchMenu() {
  QMenu* menu = fetch_->menu();
  menu->clear();
  if (!editor_) return;
  DocumentController* document = editor_->document();
  const QStringList chosen = toQStringList(document->runConfig().fetches);
  for (const QString& tensor : chosen) {
    QAction* action = menu->addAction(tensor);
    action->setCheckable(true);
    action->setChecked(true);
    connect(action, &QAction::triggered, this, [this, tensor] { editor_->setFetched(tensor, false); });
  }
  if (chosen.isEmpty()) menu->addAction(QStringLiteral("Every output that nobody reads"))->setEnabled(false);
  menu->addSeparator();
  bool offered = false;
  for (const NodeId node : document->nodesOf(editor_->selection()->items())) {
    const QString tensor = toQString(document->graph().node(node).name()) + QStringLiteral(":0");
    if (chosen.contains(tensor) || offered) continue;
    connect(menu->addAction(QStringLiteral("Fetch %1").arg(tensor)), &QAction::triggered, this,
            [this, tensor] { editor_->setFetched(tensor, true); });
    offered = true;
  }
  if (!offered) menu->addAction(QStringLiteral("Select a node to fetch its output"))->setEnabled(false);
}

void MainToolBar::fillFeedMenu() {
  QMenu* menu = feeds_->menu();
  menu->clear();
  if (!editor_) return;
  const Graph& graph = editor_->document()->graph();
  int shown = 0;
  for (const NodeId id : placeholdersOf(graph)) {
    if (++shown > 40) break;
    const QString name = toQString(graph.node(id).name());
    const bool fed = isFed(editor_->document()->runConfig(), graph.node(id).name());
    QAction* action = menu->addAction(fed ? QStringLiteral("%1 · set…").arg(name) : QStringLiteral("%1 · set value…").arg(name));
    action->setIcon(Theme::instance().icon(QStringLiteral("feed"), fed ? Theme::instance().colors().ok : Theme::instance().colors().warn));
    connect(action, &QAction::triggered, this, [this, name] { Q_EMIT feedRequested(name); });
  }
  if (shown == 0) menu->addAction(QStringLiteral("The graph has no placeholders"))->setEnabled(false);
}

}  // namespace opscope::ui
