#pragma once
// What the tools share: the canvas, the document, and translations between a scene's indexes and the document's ids.

#include <optional>
#include <vector>

#include <QPointF>
#include <QString>

#include "engine/document/edit_builder.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"

namespace opscope::ui {

/// A port of the graph behind a port on the canvas.
struct GraphPort {
  NodeId node;
  int index = 0;
  bool output = false;
  bool control = false;
};

class ToolContext {
 public:
  ToolContext(CanvasWidget* canvas, DocumentController* document) : canvas_(canvas), document_(document) {}

  CanvasWidget& canvas() const { return *canvas_; }
  DocumentController& document() const { return *document_; }
  const SceneStore& store() const { return canvas_->store(); }
  Selection& selection() const { return *document_->selection(); }

  std::optional<GraphPort> graphPort(const Hit& hit) const;
  /// The data wire that ends at an input port; -1 when there is none.
  int edgeInto(const Hit& hit) const;
  std::optional<WireRef> wireRef(int edge) const;
  int edgeOf(const WireRef& wire) const;
  /// Selected items of the scene, by index.
  std::vector<int32_t> selectedItems() const;
  /// Full name of the open scope around a point; "" at the root.
  std::string scopeAt(QPointF scene) const;
  QString nodeName(NodeId node) const;
  QString portName(const Hit& hit) const;
  /// dtype of an output or input port as far as known, without _REF.
  std::optional<DataType> dtypeOf(const GraphPort& port) const;

 private:
  CanvasWidget* canvas_;
  DocumentController* document_;
};

inline constexpr double kSnap = 8;
/// Onto the grid that the layout uses.
QPointF snapped(QPointF scene);

}  // namespace opscope::ui
