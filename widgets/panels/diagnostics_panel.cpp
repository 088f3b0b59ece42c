#include "widgets/panels/diagnostics_panel.h"

#include <QListView>

#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/panels/panel_parts.h"

namespace opscope::ui {

DiagnosticsPanel::DiagnosticsPanel(QWidget* parent) : Panel(QStringLiteral("problems"), QStringLiteral("Problems"), parent) {
  list_ = new QListView;
  list_->setObjectName(QStringLiteral("problemsList"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  model_ = new DiagnosticsModel(this);
  list_->setModel(model_);
  auto* delegate = new RowDelegate(list_);
  delegate->setMargin(16);
  list_->setItemDelegate(delegate);
  const auto show = [this](const QModelIndex& index) {
    const QString node = model_->row(index).node;
    if (!node.isEmpty()) Q_EMIT nodeActivated(node);
  };
  connect(delegate, &RowDelegate::linkClicked, this, show);
  connect(list_, &QListView::clicked, this, show);
  connect(list_, &QListView::activated, this, show);
  setContent(list_);
}

void DiagnosticsPanel::connectContext(QObject* guard) {
  const auto changed = [this] { update(); };
  connect(context().document, &DocumentController::problemsChanged, guard, changed);
  connect(context().document, &DocumentController::documentReset, guard, changed);
  connect(context().run, &RunController::finished, guard, changed);
  connect(context().run, &RunController::stateChanged, guard, changed);
  update();
}

// At once, also while hidden: the tab shows the number.
void DiagnosticsPanel::update() {
  if (!context().valid()) return;
  const bool failed = context().run->state() == RunState::kFailed;
  model_->setProblems(context().document->problems(), failed ? context().run->result().status : Status::OK());
  setBadge(static_cast<int>(model_->total()));
  scheduleRefresh();
}

void DiagnosticsPanel::refresh() {
  if (context().valid() && model_->rowCount() > 0) showContent();
  else showPlaceholder(QStringLiteral("No problems"));
}

}  // namespace opscope::ui
