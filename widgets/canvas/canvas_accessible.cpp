#include "widgets/canvas/canvas_accessible.h"

#include <algorithm>
#include <unordered_map>

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include "widgets/canvas/canvas_widget.h"

namespace opscope::ui {
namespace {

/// One item, by its place in the scene. Scenes come and go: an index that is gone answers as invalid.
class ItemAccessible : public QAccessibleInterface {
 public:
  ItemAccessible(CanvasWidget* canvas, int item) : canvas_(canvas), item_(item) {}

  bool isValid() const override { return canvas_ != nullptr && item_ < canvas_->store().itemCount(); }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return canvas_ != nullptr ? canvas_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(canvas_.data()); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  void setText(QAccessible::Text, const QString&) override {}

  QAccessible::Role role() const override {
    return isValid() && canvas_->store().item(item_).kind != ItemKind::kOp ? QAccessible::Grouping : QAccessible::ListItem;
  }

  QRect rect() const override {
    if (!isValid()) return {};
    const QRect px = canvas_->viewport().toPx(canvas_->store().rect(item_)).toRect();
    return {canvas_->mapToGlobal(px.topLeft()), px.size()};
  }

  QAccessible::State state() const override {
    QAccessible::State state;
    if (!isValid()) {
      state.invalid = true;
      return state;
    }
    state.selectable = state.focusable = true;
    const std::vector<int32_t>& selected = canvas_->live().selected;
    state.selected = std::find(selected.begin(), selected.end(), item_) != selected.end();
    state.focused = canvas_->hasFocus() && canvas_->live().focused == item_;
    state.invisible = !canvas_->shown(item_).visible;
    if (canvas_->store().item(item_).kind == ItemKind::kScope) {
      state.expandable = true;
      state.expanded = canvas_->store().isOpenScope(item_);
      state.collapsed = !state.expanded;
    }
    return state;
  }

  QString text(QAccessible::Text kind) const override {
    if (!isValid()) return {};
    const CanvasWidget::Shown shown = canvas_->shown(item_);
    if (kind == QAccessible::Name) return shown.title + QLatin1Char(' ') + shown.name;
    if (kind == QAccessible::Value) return shown.value;
    if (kind != QAccessible::Description) return {};
    QStringList facts;
    if (!shown.state.isEmpty()) facts << shown.state;
    if (!shown.badge.isEmpty()) facts << CanvasWidget::tr("number %1").arg(shown.badge);
    if (!shown.error.isEmpty()) facts << shown.error;
    const auto wired = [this](bool inputs) {
      QStringList names;
      for (const int32_t e : canvas_->store().edgesOf(item_)) {
        const SceneEdge& edge = canvas_->store().edge(e);
        const int32_t other = inputs ? (edge.to == item_ ? edge.from : -1) : (edge.from == item_ ? edge.to : -1);
        if (other >= 0 && names.size() < 8) names << QString::fromStdString(canvas_->store().item(other).title);
      }
      return names.join(QStringLiteral(", "));
    };
    if (const QString from = wired(true); !from.isEmpty()) facts << CanvasWidget::tr("inputs from %1").arg(from);
    if (const QString to = wired(false); !to.isEmpty()) facts << CanvasWidget::tr("read by %1").arg(to);
    return facts.join(QStringLiteral("; "));
  }

 private:
  QPointer<CanvasWidget> canvas_;
  int item_;
};

class CanvasAccessible : public QAccessibleWidget {
 public:
  explicit CanvasAccessible(CanvasWidget* canvas) : QAccessibleWidget(canvas, QAccessible::List, CanvasWidget::tr("Canvas")), canvas_(canvas) {}
  ~CanvasAccessible() override {
    for (const auto& [index, id] : ids_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return items() + QAccessibleWidget::childCount(); }

  QAccessibleInterface* child(int index) const override {
    if (index >= items()) return QAccessibleWidget::child(index - items());
    if (index < 0) return nullptr;
    if (const auto it = ids_.find(index); it != ids_.end()) return QAccessible::accessibleInterface(it->second);
    auto* item = new ItemAccessible(canvas_, index);
    ids_.emplace(index, QAccessible::registerAccessibleInterface(item));
    return item;
  }

  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [index, id] : ids_) {
      if (QAccessible::accessibleInterface(id) == child) return index;
    }
    const int other = QAccessibleWidget::indexOfChild(child);
    return other < 0 ? -1 : items() + other;
  }

  QAccessibleInterface* childAt(int x, int y) const override {
    if (canvas_ == nullptr) return nullptr;
    const QPoint at = canvas_->mapFromGlobal(QPoint(x, y));
    if (QWidget* widget = canvas_->childAt(at)) return QAccessible::queryAccessibleInterface(widget);
    const Hit hit = canvas_->hit(at);
    return hit.item >= 0 ? child(hit.item) : nullptr;
  }

 private:
  int items() const { return canvas_ != nullptr ? canvas_->store().itemCount() : 0; }
  QPointer<CanvasWidget> canvas_;
  mutable std::unordered_map<int, QAccessible::Id> ids_;
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
  auto* canvas = qobject_cast<CanvasWidget*>(object);
  return canvas != nullptr ? new CanvasAccessible(canvas) : nullptr;
}

}  // namespace

void installCanvasAccessibility() {
  static const bool installed = [] {
    QAccessible::installFactory(makeInterface);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace opscope::ui
