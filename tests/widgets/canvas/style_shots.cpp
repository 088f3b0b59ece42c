// A gallery of the style's controls: style_shots FOLDER

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFormLayout>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPixmap>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabBar>
#include <QTableWidget>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <QMainWindow>

#include "widgets/support/theme.h"

using namespace opscope::ui;

namespace {

QWidget* fields() {
  auto* box = new QWidget;
  auto* form = new QFormLayout(box);
  form->addRow(QStringLiteral("Name"), new QLineEdit(QStringLiteral("dense/W")));
  auto* combo = new QComboBox;
  combo->addItems({QStringLiteral("float32"), QStringLiteral("int32")});
  form->addRow(QStringLiteral("Dtype"), combo);
  auto* spin = new QSpinBox;
  spin->setValue(42);
  form->addRow(QStringLiteral("Seed"), spin);
  auto* placeholder = new QLineEdit;
  placeholder->setPlaceholderText(QStringLiteral("Find node"));
  form->addRow(QStringLiteral("Find"), placeholder);
  auto* disabled = new QLineEdit(QStringLiteral("read only"));
  disabled->setEnabled(false);
  form->addRow(QStringLiteral("Off"), disabled);
  auto* check = new QCheckBox(QStringLiteral("Trainable"));
  check->setChecked(true);
  form->addRow(check);
  form->addRow(new QCheckBox(QStringLiteral("Off")));
  auto* radio = new QRadioButton(QStringLiteral("Choice"));
  radio->setChecked(true);
  form->addRow(radio);
  auto* slider = new QSlider(Qt::Horizontal);
  slider->setValue(40);
  form->addRow(slider);
  auto* progress = new QProgressBar;
  progress->setValue(60);
  form->addRow(progress);
  return box;
}

QWidget* buttons() {
  auto* box = new QWidget;
  auto* row = new QVBoxLayout(box);
  auto* primary = new QPushButton(QStringLiteral("Insert Cast to float32"));
  primary->setProperty("primary", true);
  row->addWidget(primary);
  row->addWidget(new QPushButton(QStringLiteral("Make scale float32")));
  auto* off = new QPushButton(QStringLiteral("Disabled"));
  off->setEnabled(false);
  row->addWidget(off);
  auto* flat = new QPushButton(QStringLiteral("Flat link"));
  flat->setFlat(true);
  row->addWidget(flat);
  auto* tabs = new QTabBar;
  tabs->setProperty("panelTabs", true);
  tabs->setDrawBase(false);
  tabs->addTab(QStringLiteral("Problems"));
  tabs->addTab(QStringLiteral("Log"));
  tabs->addTab(QStringLiteral("Timeline"));
  row->addWidget(tabs);
  auto* documents = new QTabBar;
  documents->setDocumentMode(true);
  documents->setTabsClosable(true);
  documents->addTab(QStringLiteral("dense_softmax.opscope"));
  documents->addTab(QStringLiteral("first_steps.opscope"));
  row->addWidget(documents);
  row->addStretch();
  return box;
}

QWidget* lists() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  auto* tree = new QTreeWidget;
  tree->setColumnCount(2);
  tree->setHeaderLabels({QStringLiteral("Node"), QStringLiteral("Op")});
  auto* dense = new QTreeWidgetItem(tree, {QStringLiteral("dense"), QStringLiteral("5")});
  for (const char* name : {"W", "b", "xW", "logits", "relu"}) new QTreeWidgetItem(dense, {QLatin1String(name), QStringLiteral("Variable")});
  for (int i = 0; i < 20; ++i) new QTreeWidgetItem(tree, {QStringLiteral("probs%1").arg(i), QStringLiteral("Softmax")});
  tree->expandAll();
  tree->setCurrentItem(dense->child(0));
  column->addWidget(tree);
  auto* table = new QTableWidget(4, 3);
  for (int i = 0; i < 12; ++i) table->setItem(i / 3, i % 3, new QTableWidgetItem(QString::number(i * 0.031)));
  table->selectRow(1);
  column->addWidget(table);
  return box;
}

void shoot(const QString& folder, const QString& name) {
  QMainWindow window;
  window.resize(1100, 640);
  for (const char* menu : {"File", "Edit", "View", "Graph", "Run"}) window.menuBar()->addMenu(QLatin1String(menu));
  auto* bar = window.addToolBar(QStringLiteral("Tools"));
  bar->setMovable(false);
  for (const char* icon : {"undo", "redo", "direction", "layout", "fit"}) bar->addAction(Theme::instance().icon(QLatin1String(icon)), QLatin1String(icon));
  bar->addSeparator();
  auto* run = new QToolButton;
  run->setProperty("primary", true);
  run->setText(QStringLiteral("Run"));
  run->setIcon(Theme::instance().icon(QStringLiteral("run"), Theme::instance().colors().onAccent));
  run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  run->setFixedSize(112, 32);
  bar->addWidget(run);
  auto* framed = new QToolButton;
  framed->setProperty("frame", true);
  framed->setText(QStringLiteral("Fetch  probs:0"));
  framed->setIcon(Theme::instance().icon(QStringLiteral("fetch")));
  framed->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  framed->setPopupMode(QToolButton::InstantPopup);
  framed->setMenu(new QMenu(framed));
  bar->addWidget(framed);
  auto* checked = bar->addAction(Theme::instance().icon(QStringLiteral("overlay_order")), QStringLiteral("Order"));
  checked->setCheckable(true);
  checked->setChecked(true);
  auto* off = bar->addAction(Theme::instance().icon(QStringLiteral("stop")), QStringLiteral("Stop"));
  off->setEnabled(false);
  auto* middle = new QWidget;
  auto* row = new QHBoxLayout(middle);
  row->addWidget(fields(), 2);
  row->addWidget(buttons(), 3);
  row->addWidget(lists(), 3);
  window.setCentralWidget(middle);
  window.statusBar()->showMessage(QStringLiteral("Fitted: 20,000 nodes in 214 scopes"));
  window.show();
  window.findChild<QLineEdit*>()->setFocus();
  QCoreApplication::processEvents();
  window.grab().save(folder + QStringLiteral("/style_") + name + QStringLiteral(".png"));
  QMenu menu;
  menu.addAction(Theme::instance().icon(QStringLiteral("copy")), QStringLiteral("Copy"))->setShortcut(QKeySequence(QStringLiteral("Ctrl+C")));
  menu.addAction(QStringLiteral("Paste"))->setEnabled(false);
  menu.addSeparator();
  auto* item = menu.addAction(QStringLiteral("Minimap"));
  item->setCheckable(true);
  item->setChecked(true);
  menu.addMenu(QStringLiteral("Overlays"));
  menu.setActiveAction(item);
  menu.popup(QPoint(0, 0));
  QCoreApplication::processEvents();
  menu.grab().save(folder + QStringLiteral("/menu_") + name + QStringLiteral(".png"));
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
  QDir().mkpath(folder);
  Theme theme(Theme::Mode::kLight);
  theme.applyToApplication();
  shoot(folder, theme.name());
  theme.setMode(Theme::Mode::kDark);
  shoot(folder, theme.name());
  return 0;
}
