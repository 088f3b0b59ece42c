// DocumentController: one function for each thing that people do to a graph.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/text.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {

StatusOr<NodeId> DocumentController::addOp(const AddOpRequest& request) {
  OS_RETURN_IF_ERROR(apply(tr("Add %1").arg(toQString(request.op)), builder().AddOp(request)));
  for (const NodeId id : last_added_)
    if (graph().node(id).op() == "VariableV2") return id;
  return last_added_.front();
}

Status DocumentController::connectWire(OutputRef from, InputRef to) {
  return apply(tr("Connect"), builder().Connect(from, to));
}
Status DocumentController::connectToNode(OutputRef from, NodeId to) {
  return apply(tr("Connect"), builder().ConnectToNode(from, to));
}
Status DocumentController::connectControl(NodeId from, NodeId to) {
  return apply(tr("Connect control"), builder().ConnectControl(from, to));
}
Status DocumentController::disconnectWire(InputRef to) { return apply(tr("Disconnect"), builder().Disconnect(to)); }
Status DocumentController::disconnectControl(NodeId from, NodeId to) {
  return apply(tr("Disconnect"), builder().DisconnectControl(from, to));
}

Status DocumentController::deleteNodes(const std::vector<NodeId>& nodes, const std::vector<WireRef>& wires, bool reconnect) {
  std::vector<InputRef> inputs;
  std::vector<WireRef> control;
  for (const WireRef& wire : wires) {
    if (wire.input >= 0) {
      inputs.push_back({wire.to, wire.input});
    } else {
      control.push_back(wire);
    }
  }
  const QString text = nodes.empty() ? tr("Delete wires") : tr("Delete");
  const std::vector<NodeId> all = withParts(nodes);
  if (nodes.empty() && inputs.empty() && control.size() == 1) return disconnectControl(control[0].from, control[0].to);
  StatusOr<Edit> edit = reconnect ? builder().DeleteAndReconnect(all) : builder().Delete(all, inputs);
  OS_RETURN_IF_ERROR(edit.status());
  if (control.empty()) return apply(text, std::move(edit));
  undo_stack_.beginMacro(text);
  Status status = apply(text, std::move(edit));
  for (const WireRef& wire : control)
    if (status.ok() && graph().has(wire.from) && graph().has(wire.to)) status = disconnectControl(wire.from, wire.to);
  undo_stack_.endMacro();
  return status;
}

Status DocumentController::deleteSelection(bool reconnect) {
  const std::vector<NodeId> nodes = nodesOf(selection_.items());
  if (nodes.empty() && selection_.wires().empty()) return errors::FailedPrecondition("nothing is selected");
  return deleteNodes(nodes, selection_.wires(), reconnect);
}

Status DocumentController::renameItem(ItemId item, const QString& to) {
  const QString name = nameOf(item);
  if (name.isEmpty()) return errors::NotFound("there is no such node");
  const bool scope = (item.value & ItemId::kScopeBit) != 0;
  OS_RETURN_IF_ERROR(apply(tr("Rename"), scope ? builder().RenameScope(name.toStdString(), to.toStdString())
                                               : builder().Rename(NodeId(item.value), to.toStdString())));
  if (scope && selection_.items().empty() && hierarchy_->Find(to.toStdString()).valid()) selection_.set({itemOf(to)});
  return Status::OK();
}

Status DocumentController::setAttr(NodeId node, const QString& attr, const QString& json) {
  return apply(tr("Set %1").arg(attr), builder().SetAttr(node, attr.toStdString(), json.toStdString()));
}
Status DocumentController::setValue(NodeId node, const QString& json) {
  return apply(tr("Set value"), builder().SetValue(node, json.toStdString()));
}
Status DocumentController::setDevice(const std::vector<NodeId>& nodes, const QString& device) {
  return apply(tr("Set device"), builder().SetDevice(withParts(nodes), device.toStdString()));
}
Status DocumentController::swapOp(NodeId node, const QString& op) {
  return apply(tr("Change to %1").arg(op), builder().SwapOp(node, op.toStdString()));
}
Status DocumentController::setMuted(const std::vector<NodeId>& nodes, bool muted) {
  return apply(muted ? tr("Mute") : tr("Unmute"), builder().Mute(nodes, muted));
}

Status DocumentController::group(const std::vector<NodeId>& nodes, const QString& name) {
  const std::set<NodeId> before(nodes.begin(), nodes.end());
  OS_RETURN_IF_ERROR(apply(tr("Group"), builder().Group(withParts(nodes), name.toStdString())));
  if (nodes.empty() || !graph().has(nodes[0])) return Status::OK();
  // The new scope is the outermost one that lies in the scope that the nodes had in common: it holds all of them.
  ScopeId scope = hierarchy_->ScopeOf(nodes[0]);
  for (ScopeId up = scope; up.valid() && up != hierarchy_->root(); up = hierarchy_->scope(up).parent) {
    const std::vector<NodeId> inside = hierarchy_->OpsInside(up);
    scope = up;
    if (std::all_of(before.begin(), before.end(), [&](NodeId id) { return std::find(inside.begin(), inside.end(), id) != inside.end(); }))
      break;
  }
  selection_.set({scene_model_.ScopeItem(std::string(hierarchy_->scope(scope).name))});
  return Status::OK();
}

Status DocumentController::ungroup(const QString& scope) {
  std::vector<NodeId> inside;
  if (const ScopeId id = hierarchy_->Find(scope.toStdString()); id.valid()) inside = hierarchy_->OpsInside(id);
  OS_RETURN_IF_ERROR(apply(tr("Ungroup"), builder().Ungroup(scope.toStdString())));
  std::vector<ItemId> items;
  for (const NodeId id : inside) {
    const int32_t at = scene()->FindVisible(graph().node(id).name());
    if (at >= 0) items.push_back(scene()->items[static_cast<size_t>(at)].id);
  }
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  selection_.set(std::move(items));
  return Status::OK();
}

void DocumentController::keepPlaces(const std::vector<ItemId>& items) {
  const auto picture = scene();
  for (const ItemId id : items) {
    const int32_t at = picture->Find(id);
    if (at < 0) continue;
    const SceneItem& item = picture->items[static_cast<size_t>(at)];
    const bool scope = item.kind != ItemKind::kOp;
    if (!document_->diagram().Position(item.name, scope)) document_->view().SetPosition(item.name, scope, item.rect.top_left());
  }
}

Status DocumentController::moveItems(const std::vector<ItemMove>& moves, const QString& mergeKey) {
  std::vector<EditBuilder::Move> named;
  std::vector<ItemId> items;
  for (const ItemMove& move : moves) {
    const QString name = nameOf(move.item);
    if (name.isEmpty()) return errors::NotFound("there is no such item");
    named.push_back({name.toStdString(), (move.item.value & ItemId::kScopeBit) != 0, move.to});
    items.push_back(move.item);
  }
  keepPlaces(items);
  return apply(tr("Move"), builder().MoveItems(named), mergeKey);
}

Status DocumentController::setPinned(const std::vector<ItemId>& items, bool pinned) {
  std::vector<EditBuilder::Move> named;
  const auto picture = scene();
  for (const ItemId id : items) {
    const int32_t at = picture->Find(id);
    if (at < 0) continue;
    const SceneItem& item = picture->items[static_cast<size_t>(at)];
    named.push_back({item.name, item.kind != ItemKind::kOp, item.rect.top_left()});
  }
  return apply(pinned ? tr("Pin") : tr("Unpin"), builder().Pin(named, pinned));
}

Status DocumentController::addFrame(const Rect& rect, const QString& text) {
  return apply(tr("Add frame"), builder().AddFrame({rect, text.toStdString()}));
}

Status DocumentController::setRunConfig(const RunConfig& config, const QString& text) {
  return apply(text.isEmpty() ? tr("Configure run") : text, builder().SetRunConfig(config));
}

Status DocumentController::setBreakpoint(const QString& node, bool enabled, const QString& when, const QString& expr) {
  static const QStringList kWhen = {QStringLiteral("always"), QStringLiteral("nan"), QStringLiteral("inf"),
                                    QStringLiteral("shape"), QStringLiteral("value")};
  if (!when.isEmpty() && !kWhen.contains(when)) return errors::InvalidArgument("a breakpoint stops always, or on nan, inf, shape or value");
  const std::string name = node.toStdString();
  if (!graph().Find(name).valid()) return errors::NotFound("there is no node '", Printable(name, 200), "'");
  RunConfig config = runConfig();
  auto found = std::find_if(config.breakpoints.begin(), config.breakpoints.end(), [&](const Breakpoint& b) { return b.node == name; });
  if (!enabled) {
    if (found != config.breakpoints.end()) config.breakpoints.erase(found);
    return setRunConfig(config, tr("Remove breakpoint"));
  }
  if (found == config.breakpoints.end()) found = config.breakpoints.insert(config.breakpoints.end(), Breakpoint{name, true, "always", ""});
  found->enabled = true;
  if (!when.isEmpty()) found->when = when.toStdString();
  if (!expr.isEmpty()) found->expr = expr.toStdString();
  return setRunConfig(config, tr("Set breakpoint"));
}

namespace {

Status setListed(const Graph& graph, const QString& tensor, bool listed, std::vector<std::string>* names) {
  const std::string name = CanonicalTensorName(tensor.toStdString());
  if (!graph.Find(ParseTensorName(name).node).valid()) {
    // The wording of TensorFlow's Python client.
    return errors::InvalidArgument("'", Printable(name, 200), "' is not an element of this graph.");
  }
  const auto found = std::find(names->begin(), names->end(), name);
  if (listed && found == names->end()) names->push_back(name);
  if (!listed && found != names->end()) names->erase(found);
  return Status::OK();
}

}  // namespace

Status DocumentController::setFetched(const QString& tensor, bool fetched) {
  RunConfig config = runConfig();
  OS_RETURN_IF_ERROR(setListed(graph(), tensor, fetched, &config.fetches));
  return setRunConfig(config, fetched ? tr("Fetch %1").arg(tensor) : tr("Don't fetch %1").arg(tensor));
}

Status DocumentController::setWatched(const QString& tensor, bool watched) {
  RunConfig config = runConfig();
  OS_RETURN_IF_ERROR(setListed(graph(), tensor, watched, &config.watches));
  return setRunConfig(config, watched ? tr("Watch %1").arg(tensor) : tr("Don't watch %1").arg(tensor));
}

// Copies --------------------------------------------------------------------------------------------------------------------

QString DocumentController::copyText(const std::vector<NodeId>& nodes) const {
  Clip clip = builder().Copy(withParts(nodes));
  // What stands in a provisional place takes that along.
  const auto picture = scene();
  for (const tensorflow::NodeDef& node : clip.graph.node()) {
    if (clip.positions.contains(node.name())) continue;
    const int32_t at = picture->FindOp(node.name());
    if (at >= 0) clip.positions[node.name()] = picture->items[static_cast<size_t>(at)].rect.top_left();
  }
  return toQString(clip.ToText());
}

Status DocumentController::selectAdded(Status status) {
  if (!status.ok()) return status;
  std::vector<ItemId> items;
  for (const NodeId id : last_added_) {
    const int32_t at = scene()->FindVisible(graph().node(id).name());
    const ItemId item = at >= 0 ? scene()->items[static_cast<size_t>(at)].id : ItemId{id.value};
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
  }
  selection_.set(std::move(items));
  return status;
}

Status DocumentController::paste(const QString& text, std::optional<Point> at, bool keepInputs) {
  OS_ASSIGN_OR_RETURN(const Clip clip, Clip::FromText(text.toStdString()));
  Point offset{24, 24};
  // Pasted again it doesn't lie on the copies before.
  const auto covers = [&] {
    const auto picture = scene();
    return std::any_of(picture->items.begin(), picture->items.end(), [&](const SceneItem& item) {
      return std::any_of(clip.positions.begin(), clip.positions.end(), [&](const auto& position) {
        const Point by = position.second + offset - item.rect.top_left();
        return std::abs(by.x) < 8 && std::abs(by.y) < 8;
      });
    });
  };
  for (int tries = 0; !at && tries < 100 && covers(); ++tries) offset = offset + Point{24, 24};
  if (at && !clip.positions.empty()) {
    Point corner = clip.positions.begin()->second;
    for (const auto& [name, point] : clip.positions) corner = {std::min(corner.x, point.x), std::min(corner.y, point.y)};
    offset = *at - corner;
  }
  return selectAdded(apply(tr("Paste"), builder().Paste(clip, "", offset, keepInputs)));
}

Status DocumentController::duplicate(const std::vector<NodeId>& nodes, bool keepInputs) {
  if (nodes.empty()) return errors::FailedPrecondition("nothing is selected");
  std::vector<ItemId> items;
  for (const NodeId id : nodes) items.push_back(ItemId{id.value});
  keepPlaces(items);
  return selectAdded(apply(tr("Duplicate"), builder().Duplicate(withParts(nodes), {24, 24}, keepInputs)));
}

Status DocumentController::importGraph(const tensorflow::GraphDef& graph, const QString& scope) {
  return selectAdded(apply(tr("Import"), builder().Import(graph, scope.toStdString())));
}

}  // namespace opscope::ui
