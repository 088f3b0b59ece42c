#include "app/editor.h"

#include <QEvent>
#include <QPointer>
#include <QTimer>
#include <QVBoxLayout>

#include "app/editor_overlay_source.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/layout_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/input/input_router.h"
#include "widgets/models/graph_facts.h"
#include "widgets/overlays/overlay_model.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

bool hasValueDialog(const Node& node) { return node.op() == "Const" || isPlaceholder(node); }

}  // namespace

Editor::Editor(Theme* theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      document_(new DocumentController(this)),
      layout_(new LayoutController(document_, this)),
      run_(new RunController(document_, this)),
      trace_(new TraceController(this)) {
  setObjectName(QStringLiteral("editor"));
  overlay_ = new OverlayModel(this);
  canvas_ = new CanvasWidget(this);
  canvas_->setObjectName(QStringLiteral("canvas"));
  canvas_->setEmptyText(QStringLiteral("Press Tab to add a node, or drop a graph here."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(canvas_);
  setFocusProxy(canvas_);
  canvas_->installEventFilter(this);
  source_ = std::make_unique<OverlaySource>(document_, run_, trace_);
  overlay_->setSource([this] { return source_->input(); });
  input_ = std::make_unique<InputRouter>(canvas_, document_);
  connectControllers();
  connectCanvas();
  canvas_->setOverlay(overlay_->picture());
}

// Whoever looks at the controllers goes first: nothing of the canvas may ask for a document that is gone.
Editor::~Editor() {
  input_.reset();
  overlay_->disconnect(this);
  overlay_->setSource([] { return OverlayInput(); });
  delete canvas_;
  source_.reset();
  delete run_;
  delete layout_;
}

Selection* Editor::selection() const { return document_->selection(); }

void Editor::connectControllers() {
  // After the router, which has given the canvas the scene: pictures go with the scene that they were made for.
  connect(document_, &DocumentController::sceneChanged, this, [this] {
    canvas_->setOverlay(overlay_->picture());
    checkSettled();
  });
  connect(document_, &DocumentController::busyChanged, this, &Editor::checkSettled);
  connect(layout_, &LayoutController::layoutDone, this, &Editor::checkSettled);
  connect(run_, &RunController::traceChanged, trace_, &TraceController::setTrace);
  connect(run_, &RunController::staleChanged, trace_, &TraceController::setStale);
  connect(source_.get(), &OverlaySource::changed, overlay_, &OverlayModel::invalidate);
  connect(source_.get(), &OverlaySource::changed, this, &Editor::checkSettled);
  connect(overlay_, &OverlayModel::changed, this, [this] { canvas_->setOverlay(overlay_->picture()); });
}

void Editor::connectCanvas() {
  connect(input_.get(), &InputRouter::contextMenuRequested, this, [this](const QPoint& at, const Hit&) { showMenu(at); });
  connect(input_.get(), &InputRouter::hintChanged, this, [this](const QString& hint) { setHint(hint); });
  connect(input_.get(), &InputRouter::message, this, &Editor::message);
  connect(input_.get(), &InputRouter::itemActivated, this, [this](ItemId item) {
    const NodeId node = document_->findNode(document_->nameOf(item));
    if (node.valid() && hasValueDialog(document_->graph().node(node))) askForValue(document_->nameOf(item));
  });
  connect(run_, &RunController::finished, this, [this] {
    const Status& status = run_->result().status;
    if (status.code() != Code::kCancelled) input_->showFailure(status);
  });
  connect(run_, &RunController::stateChanged, this, [this](RunState state) {
    if (state == RunState::kRunning) input_->dismissFailure();
  });
  connect(input_.get(), &InputRouter::actionRequested, this,
          [this](const QString& action) { Q_EMIT actionRequested(action, {}); });
  connect(input_.get(), &InputRouter::peekRequested, this, [this](bool peek) {
    const OverlayKind kind = overlay_->kind();
    if (peek) peeked_ = kind;
    overlay_->setKind(peek ? OverlayKind::kNone : peeked_);
  });
  connect(canvas_, &CanvasWidget::animationFinished, this, &Editor::checkSettled);
  connect(canvas_, &CanvasWidget::sceneShown, this, &Editor::checkSettled);
  connect(canvas_, &CanvasWidget::viewChanged, this, [this] {
    document_->setCamera(canvas_->zoom(), toPoint(canvas_->viewport().toScene(QRectF(canvas_->rect()).center())));
  });
}

void Editor::fitView() {
  canvas_->fit(false);
  fitted_ = canvas_->viewport();
}

bool Editor::eventFilter(QObject* watched, QEvent* event) {
  if (watched == canvas_ && event->type() == QEvent::Resize && canvas_->viewport() == fitted_) {
    QTimer::singleShot(0, this, &Editor::fitView);
  }
  return QWidget::eventFilter(watched, event);
}

bool Editor::isSettled() const {
  return !document_->isBusy() && layout_->isIdle() && source_->isIdle() && !canvas_->isAnimating();
}

void Editor::whenSettled(std::function<void()> callback) {
  waiting_.push_back(std::move(callback));
  // By the event loop: an edit's layout is asked for by signals that have yet to arrive.
  QTimer::singleShot(0, this, &Editor::checkSettled);
}

void Editor::checkSettled() {
  if (waiting_.empty() || !isSettled()) return;
  auto callbacks = std::move(waiting_);
  waiting_.clear();
  const QPointer<Editor> alive = this;
  for (const auto& callback : callbacks) callback();
  if (alive) Q_EMIT settled();
}

bool Editor::isPristine() const {
  return document_->path().isEmpty() && document_->graph().num_nodes() == 0 && !document_->isModified() &&
         document_->undoStack()->count() == 0 && !document_->isBusy();
}

void Editor::setHint(const QString& hint) {
  if (hint == hint_) return;
  hint_ = hint;
  Q_EMIT hintChanged();
}

void Editor::setFetched(const QString& tensor, bool fetched) { report(document_->setFetched(tensor, fetched)); }

void Editor::report(const Status& status) {
  if (status.ok()) return;
  setHint(statusLine(status));
  Q_EMIT failed(status);
}

}  // namespace opscope::ui
