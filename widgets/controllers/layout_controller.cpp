#include "widgets/controllers/layout_controller.h"

#include <algorithm>

#include <QTimer>

#include "engine/base/text.h"
#include "engine/diagram/make_room.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/worker.h"

namespace opscope::ui {
namespace {

constexpr double kGap = 32;
constexpr Size kClosedScope{160, kNodeHeight};

bool isPlacedScopeFrame(const SceneItem& item) { return item.kind == ItemKind::kScope && !item.collapsed; }

}  // namespace

LayoutController::LayoutController(DocumentController* document, QObject* parent)
    : QObject(parent), document_(document), engine_(std::make_shared<LayoutEngine>()) {
  connect(document, &DocumentController::sceneChanged, this, &LayoutController::onSceneChanged);
  connect(document, &DocumentController::collapsedChanged, this, &LayoutController::onCollapsedChanged);
  connect(document, &DocumentController::documentReset, this, [this] {
    own_.clear();
    ++generation_;
    stop_.request_stop();
    running_ = false;
    wanted_ = false;
  });
  onSceneChanged();
}

LayoutController::~LayoutController() { stop_.request_stop(); }

bool LayoutController::nobodyPlaced(const SceneSnapshot& scene) const {
  return std::all_of(scene.items.begin(), scene.items.end(), [this](const SceneItem& item) {
    const bool scope = item.kind != ItemKind::kOp;
    const std::optional<Point> at = document_->document().diagram().Position(item.name, scope);
    if (!at) return true;
    const auto own = own_.find({item.name, scope});
    return own != own_.end() && own->second == *at;
  });
}

void LayoutController::onSceneChanged() {
  if (applying_ || document_->scene()->unplaced_scopes.empty()) return;
  want(nobodyPlaced(*document_->scene()) ? Reach::kAll : Reach::kMissing);
}

void LayoutController::onCollapsedChanged(const QString& scope, bool collapsed) {
  if (nobodyPlaced(*document_->scene())) {
    want(Reach::kAll);
  } else if (!collapsed && document_->scene()->unplaced_scopes.empty()) {
    makeRoom(scope.toStdString());
  }
}

void LayoutController::want(Reach reach) {
  wanted_reach_ = wanted_ ? std::max(wanted_reach_, reach) : reach;
  if (running_) {
    // What is under way is for an older picture.
    stop_.request_stop();
    wanted_ = true;
    return;
  }
  if (wanted_) return;
  wanted_ = true;
  // Several edits of one event are laid out once.
  QTimer::singleShot(0, this, [this] {
    if (!wanted_ || running_) return;
    wanted_ = false;
    request(std::string(), wanted_reach_, false);
  });
}

void LayoutController::layout(const QString& scope) {
  wanted_ = false;
  request(scope.toStdString(), Reach::kAll, true);
}

void LayoutController::request(const std::string& scope, Reach reach, bool undoable) {
  stop_.request_stop();
  stop_ = std::stop_source();
  const int generation = ++generation_;
  running_ = true;
  Q_EMIT layoutStarted();
  std::shared_ptr<const SceneSnapshot> scene = document_->scene();
  if (reach == Reach::kMissing) {
    // What has a place counts as pinned.
    auto held = std::make_shared<SceneSnapshot>(*scene);
    for (SceneItem& item : held->items)
      item.pinned = item.pinned || document_->document().diagram().Position(item.name, item.kind != ItemKind::kOp).has_value();
    scene = std::move(held);
  }
  Worker::run(
      this,
      [engine = engine_, scene, scope, stop = stop_.get_token()] { return engine->Layout(*scene, scope, LayoutOptions(), stop); },
      [this, generation, reach, undoable, missing = scene->unplaced_scopes](StatusOr<LayoutAnswer> answer) {
        if (generation != generation_) return;
        running_ = false;
        if (answer.ok()) apply(*answer, reach, undoable);
        // An opened scope whose contents have just got their places stands among what people placed.
        if (reach == Reach::kMissing)
          for (const std::string& opened : missing)
            if (!opened.empty()) makeRoom(opened);
        if (wanted_) {
          wanted_ = false;
          request(std::string(), wanted_reach_, false);
          return;
        }
        Q_EMIT layoutDone();
      });
}

void LayoutController::apply(const LayoutAnswer& answer, Reach reach, bool undoable) {
  const Diagram& diagram = document_->document().diagram();
  std::vector<EditBuilder::Move> places;
  for (const LayoutAnswer::Place& place : answer.places) {
    const std::optional<Point> before = diagram.Position(place.name, place.scope);
    if (before && (reach == Reach::kMissing || diagram.IsPinned(place.name, place.scope))) continue;
    places.push_back({place.name, place.scope, place.position});
    own_[{place.name, place.scope}] = place.position;
  }
  applying_ = true;
  document_->applyLayout(places, answer.routes, undoable);
  applying_ = false;
}

void LayoutController::makeRoom(const std::string& scope) {
  // Outwards: the frame that grew pushes its neighbours to the right or down, then the frame around does.
  for (std::string at = scope; !at.empty(); at = std::string(ScopeOf(at))) {
    const auto scene = document_->scene();
    const int32_t index = scene->FindScope(at);
    if (index < 0 || !isPlacedScopeFrame(scene->items[static_cast<size_t>(index)])) return;
    const SceneItem& frame = scene->items[static_cast<size_t>(index)];
    std::vector<Rect> rects;
    std::vector<const SceneItem*> siblings;
    for (size_t i = 0; i < scene->items.size(); ++i) {
      const SceneItem& other = scene->items[i];
      if (static_cast<int32_t>(i) == index || other.parent != frame.parent) continue;
      siblings.push_back(&other);
      rects.push_back(other.rect);
    }
    if (!MakeRoom(frame.rect, kClosedScope, kGap, &rects)) continue;
    std::vector<EditBuilder::Move> places;
    for (size_t i = 0; i < rects.size(); ++i)
      if (!(rects[i] == siblings[i]->rect)) places.push_back({siblings[i]->name, siblings[i]->kind != ItemKind::kOp, rects[i].top_left()});
    applying_ = true;
    document_->placeItems(places);
    applying_ = false;
  }
}

}  // namespace opscope::ui
