// EditBuilder: the diagram and the run configuration.
#include <set>

#include "engine/document/edit_builder.h"

namespace opscope {
namespace {

void MoveContents(const Diagram::Items& items, bool scopes, const std::string& scope, Point by,
                  const std::set<std::pair<std::string, bool>>& named, Edit* edit) {
  const std::string prefix = scope + "/";
  const auto move = [&](const std::string& name, const DiagramItem& item) {
    if (!item.position || named.contains({name, scopes})) return;
    edit->changes.emplace_back(PlaceChange{name, scopes, *item.position + by, item.pinned});
  };
  for (auto it = items.lower_bound(prefix); it != items.end() && it->first.starts_with(prefix); ++it) move(it->first, it->second);
  // An op that is named like the scope lies in it.
  if (!scopes)
    if (const auto own = items.find(scope); own != items.end()) move(own->first, own->second);
}

}  // namespace

StatusOr<Edit> EditBuilder::MoveItems(const std::vector<Move>& moves, bool pin) const {
  Edit edit;
  const Diagram& diagram = document_.diagram();
  std::set<std::pair<std::string, bool>> named;
  for (const Move& move : moves) named.insert({move.name, move.scope});
  for (const Move& move : moves) {
    const std::optional<Point> before = diagram.Position(move.name, move.scope);
    const bool pinned = diagram.IsPinned(move.name, move.scope);
    if (before && *before == move.to) continue;
    edit.changes.emplace_back(PlaceChange{move.name, move.scope, move.to, pin || pinned});
    if (!move.scope || !before) continue;
    MoveContents(diagram.ops(), false, move.name, move.to - *before, named, &edit);
    MoveContents(diagram.scopes(), true, move.name, move.to - *before, named, &edit);
  }
  return edit;
}

StatusOr<Edit> EditBuilder::Pin(const std::vector<Move>& items, bool pinned) const {
  Edit edit;
  for (const Move& item : items) {
    if (document_.diagram().IsPinned(item.name, item.scope) == pinned) continue;
    const std::optional<Point> at = document_.diagram().Position(item.name, item.scope);
    edit.changes.emplace_back(PlaceChange{item.name, item.scope, at ? at : std::optional<Point>(item.to), pinned});
  }
  return edit;
}

StatusOr<Edit> EditBuilder::AddFrame(const SceneFrame& frame) const {
  std::vector<SceneFrame> frames = document_.diagram().frames();
  frames.push_back(frame);
  return SetFrames(std::move(frames));
}

StatusOr<Edit> EditBuilder::SetFrames(std::vector<SceneFrame> frames) const {
  Edit edit;
  edit.changes.emplace_back(FramesChange{std::move(frames)});
  return edit;
}

StatusOr<Edit> EditBuilder::SetRunConfig(RunConfig config) const {
  Edit edit;
  if (!(config == document_.run_config())) edit.changes.emplace_back(RunConfigChange{std::move(config)});
  return edit;
}

}  // namespace opscope
