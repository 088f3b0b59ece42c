#include "widgets/panels/device_panel.h"

#include <map>

#include <QScrollArea>
#include <QVBoxLayout>

#include "engine/trace/transfers.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/device_card.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

constexpr int kLiveMs = 200;

Row fact(const QString& name, const QString& value) {
  Row row;
  row.text = name;
  row.right = value;
  row.right_mono = true;
  row.right_tone = RowTone::kText;
  row.tool_tip = value;
  return row;
}

}  // namespace

DevicePanel::DevicePanel(QWidget* parent) : Panel(QStringLiteral("devices"), QStringLiteral("Devices"), parent) {
  model_ = new DeviceModel(this);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  cards_layout_ = new QVBoxLayout;
  cards_layout_->setContentsMargins(16, 14, 16, 16);
  cards_layout_->setSpacing(12);
  layout->addLayout(cards_layout_);
  const auto section = [&](const char* name, const QString& title, RowList** list) {
    auto* made = new Section(QLatin1String(name), title);
    *list = new RowList(QLatin1String(name) + QStringLiteral("List"));
    (*list)->setMaximumRows(20);
    made->body()->addWidget(*list);
    layout->addWidget(made);
    return made;
  };
  transfers_section_ = section("deviceTransfers", QStringLiteral("Transfers"), &transfers_);
  placement_section_ = section("devicePlacement", QStringLiteral("Requested and assigned"), &placement_);
  attributes_section_ = section("deviceAttributes", QStringLiteral("Attributes"), &attributes_);
  layout->addStretch();
  scroll->setWidget(content);
  setContent(scroll);
  live_.setInterval(kLiveMs);
  connect(&live_, &QTimer::timeout, this, [this] {
    if (!context().valid() || !context().run->isActive()) live_.stop();
    scheduleRefresh();
  });
}

void DevicePanel::connectContext(QObject* guard) {
  const auto soon = [this] { scheduleRefresh(); };
  connect(context().run, &RunController::devicesChanged, guard, soon);
  connect(context().run, &RunController::finished, guard, soon);
  connect(context().run, &RunController::prepared, guard, soon);
  connect(context().run, &RunController::resetDone, guard, soon);
  connect(context().run, &RunController::traceChanged, guard, soon);
  connect(context().trace, &TraceController::cursorMoved, guard, soon);
  connect(context().run, &RunController::stateChanged, guard, [this](RunState state) {
    if (state == RunState::kRunning && isVisible()) live_.start();
    scheduleRefresh();
  });
  connect(context().document, &DocumentController::documentReset, guard, soon);
  connect(context().document, &DocumentController::runConfigChanged, guard, soon);
}

void DevicePanel::refresh() {
  if (!context().valid() || context().run->devices().empty()) {
    showPlaceholder(QStringLiteral("No session yet. Run once to open one."));
    return;
  }
  showContent();
  model_->setDevices(deviceUses(context().run->devices(), context().run->allocatorSnapshots(), context().run->placement()));
  showCards();
  showTransfers();
  showPlacement();
  showAttributes();
}

void DevicePanel::showCards() {
  const auto& devices = model_->devices();
  while (cards_.size() > devices.size()) {
    cards_.back()->deleteLater();
    cards_.pop_back();
  }
  while (cards_.size() < devices.size()) {
    const int place = static_cast<int>(cards_.size());
    auto* card = new DeviceCard(place);
    cards_layout_->addWidget(card);
    cards_.push_back(card);
    connect(card, &QAbstractButton::clicked, this, [this, place] {
      chosen_ = place;
      scheduleRefresh();
    });
  }
  for (size_t i = 0; i < devices.size(); ++i) cards_[i]->setUse(devices[i]);
  chosen_ = std::min(chosen_, static_cast<int>(devices.size()) - 1);
  cards_[static_cast<size_t>(std::max(chosen_, 0))]->setChecked(true);
}

void DevicePanel::showTransfers() {
  const TraceCursor& cursor = context().trace->cursor();
  const std::vector<TransferSum> sums = TransfersAt(cursor.trace(), cursor.position());
  std::vector<Row> rows;
  int64_t count = 0;
  int64_t bytes = 0;
  for (const TransferSum& sum : sums) {
    count += sum.count;
    bytes += sum.bytes;
    const QString what = sum.output < 0 ? QString(QStringLiteral("^") + toQString(sum.node)) : QString(toQString(sum.node) + QLatin1Char(':') + QString::number(sum.output));
    const QString times = sum.count > 1 ? QString(countWord(sum.count) + QStringLiteral(" × ")) : QString();
    Row row = fact(QStringLiteral("%1  →  %2   %3").arg(deviceWord(toQString(sum.from)), deviceWord(toQString(sum.to)), what),
                   sum.output < 0 ? QStringLiteral("control") : times + bytesWord(sum.bytes / sum.count));
    row.tool_tip = QStringLiteral("%1, %2 from %3 to %4").arg(what, bytesWord(sum.bytes), toQString(sum.from), toQString(sum.to));
    rows.push_back(std::move(row));
  }
  transfers_section_->setTitle(QStringLiteral("Transfers · %1 · %2").arg(countWord(count), bytesWord(bytes)));
  transfers_section_->setVisible(!rows.empty());
  transfers_->rows()->setRows(std::move(rows));
}

void DevicePanel::showPlacement() {
  std::map<std::pair<std::string, std::string>, int> counts;
  const Graph& graph = context().document->graph();
  for (const auto& [name, assigned] : context().run->placement()) {
    const NodeId id = graph.Find(name);
    if (id.valid()) ++counts[{graph.node(id).def.device(), assigned}];
  }
  std::vector<Row> rows;
  for (const auto& [pair, count] : counts) {
    const QString requested = pair.first.empty() ? QStringLiteral("any") : deviceWord(toQString(pair.first));
    const QString assigned = deviceWord(toQString(pair.second));
    Row row = fact(requested + QStringLiteral("  →  ") + assigned, QStringLiteral("%1 %2").arg(countWord(count), count == 1 ? QStringLiteral("op") : QStringLiteral("ops")));
    const bool moved = !pair.first.empty() && !pair.second.ends_with(requested.toStdString());
    if (moved) {
      row.icon = QStringLiteral("problems");
      row.icon_tone = RowTone::kWarn;
    }
    rows.push_back(std::move(row));
  }
  placement_section_->setVisible(!rows.empty());
  placement_->rows()->setRows(std::move(rows));
}

void DevicePanel::showAttributes() {
  const DeviceUse& use = model_->devices()[static_cast<size_t>(std::max(chosen_, 0))];
  attributes_section_->setTitle(QStringLiteral("Attributes of %1").arg(deviceWord(use.name)));
  attributes_->rows()->setRows({fact(QStringLiteral("name"), use.name),
                                fact(QStringLiteral("memory limit"), use.memory_limit > 0 ? countWord(use.memory_limit) + QStringLiteral(" B") : QStringLiteral("none")),
                                fact(QStringLiteral("incarnation"), QStringLiteral("0x") + QString::number(use.incarnation, 16)),
                                fact(QStringLiteral("locality"), QStringLiteral("bus %1").arg(use.locality)),
                                fact(QStringLiteral("allocator"), use.allocator),
                                fact(QStringLiteral("physical"), use.physical.isEmpty() ? QStringLiteral("none") : use.physical)});
}

}  // namespace opscope::ui
