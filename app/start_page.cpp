#include "app/start_page.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/start_page_cards.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr int kColumn = 592;

// An icon that follows the theme.
class ThemedIcon : public QWidget {
 public:
  ThemedIcon(const QString& name, RowTone tone, int size) : name_(name), tone_(tone), size_(size) { setFixedSize(size, size); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.drawPixmap(rect(), Theme::instance().pixmap(name_, toneColor(tone_), size_, devicePixelRatioF()));
  }

 private:
  QString name_;
  RowTone tone_;
  int size_;
};

QWidget* heading() {
  auto* widget = new QWidget;
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(16);
  row->addWidget(new ThemedIcon(QStringLiteral("graph"), RowTone::kAccent, 40));
  auto* texts = new QVBoxLayout;
  texts->setSpacing(4);
  texts->addWidget(makeLabel(TextRole::kTitle, QStringLiteral("OpScope")));
  texts->addWidget(makeLabel(TextRole::kBody, QStringLiteral("Build a dataflow graph, run it, step through it, and see where time and memory go."), true));
  row->addLayout(texts);
  row->addStretch();
  return widget;
}

QToolButton* link(const QString& name, const QString& text) {
  auto* button = new QToolButton;
  button->setObjectName(name);
  button->setText(text);
  button->setAutoRaise(true);
  button->setCursor(Qt::PointingHandCursor);
  QPalette palette = button->palette();
  button->setForegroundRole(QPalette::Link);
  button->setPalette(palette);
  return button;
}

}  // namespace

const QList<Example>& examples() {
  static const QList<Example> list{
      {QStringLiteral(":/examples/first_steps.pbtxt"), QStringLiteral("First steps"), QStringLiteral("(15 × 5) / (15 + 5), step by step")},
      {QStringLiteral(":/examples/dense_softmax.pbtxt"), QStringLiteral("Dense and softmax"), QStringLiteral("Variables, a placeholder and a layer")},
      {QStringLiteral(":/examples/counter.pbtxt"), QStringLiteral("Counter"), QStringLiteral("A variable that counts the runs")},
  };
  return list;
}

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("startPage"));
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->viewport()->setAutoFillBackground(false);
  auto* page = new QWidget;
  page->setAutoFillBackground(false);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll);
  auto* centred = new QHBoxLayout(page);
  centred->setContentsMargins(32, 72, 32, 32);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(48);
  grid->setVerticalSpacing(40);
  grid->addWidget(heading(), 0, 0, 1, 2);
  auto* left = new QVBoxLayout;
  left->setSpacing(8);
  drop_zone_ = buildDropZone();
  left->addWidget(drop_zone_);
  recent_ = new QVBoxLayout;
  recent_->setSpacing(8);
  left->addSpacing(24);
  left->addLayout(recent_);
  left->addStretch();
  auto* right = new QVBoxLayout;
  right->addWidget(buildExamples());
  right->addSpacing(24);
  right->addWidget(buildLessons());
  right->addStretch();
  grid->addLayout(left, 1, 0);
  grid->addLayout(right, 1, 1);
  grid->setColumnMinimumWidth(0, 360);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  grid->setRowStretch(1, 1);
  auto* box = new QWidget;
  box->setLayout(grid);
  box->setMaximumWidth(2 * kColumn + 48);
  centred->addStretch(1);
  centred->addWidget(box, 100);
  centred->addStretch(1);
  scroll->setWidget(page);
  page->setAutoFillBackground(false);  // the dots behind it are ours
  setRecentFiles({});
}

QWidget* StartPage::buildDropZone() {
  auto* zone = new DropZone;
  zone->setFixedHeight(216);
  auto* layout = new QVBoxLayout(zone);
  layout->setContentsMargins(16, 92, 16, 22);
  layout->setSpacing(6);
  layout->addWidget(makeLabel(TextRole::kTitle, QStringLiteral("Drop a graph here")), 0, Qt::AlignHCenter);
  layout->addWidget(makeLabel(TextRole::kBody, QStringLiteral("GraphDef, SavedModel, .pbtxt, .gz, event file or .opscope"), true), 0, Qt::AlignHCenter);
  layout->addSpacing(6);
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  row->addStretch();
  const auto button = [&](const char* name, const QString& text, const QString& icon, bool primary) {
    auto* made = new QPushButton(QLatin1Char(' ') + text);
    made->setObjectName(QLatin1String(name));
    made->setProperty("primary", primary);
    made->setIcon(primary ? Theme::instance().icon(icon, Theme::instance().colors().onAccent) : Theme::instance().icon(icon));
    made->setMinimumSize(160, ThemeMetrics::button);
    row->addWidget(made);
    return made;
  };
  connect(button("startNew", QStringLiteral("New graph"), QStringLiteral("new"), true), &QPushButton::clicked, this, &StartPage::newRequested);
  connect(button("startOpen", QStringLiteral("Open…"), QStringLiteral("open"), false), &QPushButton::clicked, this, &StartPage::openRequested);
  row->addStretch();
  layout->addLayout(row);
  return zone;
}

QWidget* StartPage::buildExamples() {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(12);
  layout->addWidget(makeLabel(TextRole::kTitle, QStringLiteral("Examples")));
  auto* grid = new QGridLayout;
  grid->setSpacing(16);
  int place = 0;
  for (const Example& example : examples()) {
    auto* card = new ExampleCard(example, place);
    connect(card, &QAbstractButton::clicked, this, [this, path = example.path] { Q_EMIT fileRequested(path); });
    grid->addWidget(card, place / 2, place % 2);
    ++place;
  }
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  layout->addLayout(grid);
  return widget;
}

QWidget* StartPage::buildLessons() {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(makeLabel(TextRole::kTitle, QStringLiteral("Keys")));
  const std::pair<const char*, const char*> keys[] = {
      {"Tab", "add a node"}, {"F5", "run"}, {"F10", "run one op"}, {"Shift+F10", "step back"}, {"Ctrl+Shift+P", "find any action"}};
  for (const auto& [key, text] : keys) {
    auto* row = new QHBoxLayout;
    QLabel* name = makeLabel(TextRole::kMono, QLatin1String(key));
    name->setFixedWidth(112);
    row->addWidget(name);
    row->addWidget(makeLabel(TextRole::kBody, QLatin1String(text), true), 1);
    layout->addLayout(row);
  }
  return widget;
}

void StartPage::setRecentFiles(const QList<RecentFile>& files) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    if (item->widget()) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    delete item;
  }
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(makeLabel(TextRole::kTitle, QStringLiteral("Recent")));
  row->addStretch();
  if (!files.isEmpty()) {
    QToolButton* clear = link(QStringLiteral("clearRecent"), QStringLiteral("Clear list"));
    connect(clear, &QToolButton::clicked, this, &StartPage::clearRecentRequested);
    row->addWidget(clear);
  }
  recent_->addWidget(head);
  if (files.isEmpty()) recent_->addWidget(makeLabel(TextRole::kBody, QStringLiteral("Files that you open will be listed here."), true));
  for (const RecentFile& file : files) {
    auto* card = new RecentCard(file);
    connect(card, &QAbstractButton::clicked, this, [this, path = file.path] { Q_EMIT fileRequested(path); });
    recent_->addWidget(card);
  }
}

void StartPage::setDropHover(bool hover) { static_cast<DropZone*>(drop_zone_)->setHover(hover); }

void StartPage::paintEvent(QPaintEvent*) {
  const ThemeColors& c = Theme::instance().colors();
  QPainter painter(this);
  painter.fillRect(rect(), c.canvas);
  painter.setPen(QPen(c.grid, 1));
  constexpr int kStep = 24;
  for (int y = kStep / 2; y < height(); y += kStep) {
    for (int x = kStep / 2; x < width(); x += kStep) painter.drawPoint(x, y);
  }
}

}  // namespace opscope::ui
