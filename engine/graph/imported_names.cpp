#include "engine/graph/imported_names.h"

#include "engine/base/text.h"

namespace opscope {
namespace {

constexpr std::string_view kLocation = "loc:@";

void AddScopes(std::string_view name, StringMap<bool>* scopes) {
  for (std::string_view scope = ScopeOf(name); !scope.empty(); scope = ScopeOf(scope)) {
    if (!scopes->try_emplace(std::string(scope), true).second) return;
  }
}

}  // namespace

Status ImportedNames::Prepare() {
  prefix_ = options_.prefix;
  if (!prefix_.empty() && prefix_.back() != '/') prefix_ += '/';
  counts_up_ = options_.uniquify_names && (prefix_.empty() || !options_.uniquify_prefix);
  graph_.ForEachNode([&](NodeId, const Node& node) { AddScopes(node.name(), &scopes_); });
  if (counts_up_ || !prefix_.empty()) {
    for (const NodeDef& node : def_.node()) {
      def_names_.try_emplace(node.name(), true);
      AddScopes(node.name(), &def_names_);
    }
  }
  if (!prefix_.empty()) {
    const std::string scope = prefix_.substr(0, prefix_.size() - 1);
    if (!IsValidNodeName(scope)) {
      return errors::InvalidArgument("Imported node name prefix '", prefix_,
                                     "' would lead to invalid node names");
    }
    if (IsTaken(scope) && options_.uniquify_prefix) prefix_ = FindUnique(scope) + "/";
  }
  return counts_up_ ? Status::OK() : CheckFree();
}

Status ImportedNames::CheckFree() const {
  for (const NodeDef& node : def_.node()) {
    const std::string name = prefix_ + node.name();
    // Below a prefix only nodes are in the way: scopes are shared.
    if (prefix_.empty() ? !IsTaken(name) : !graph_.Find(name).valid()) continue;
    Status status = errors::InvalidArgument("Node name '", name, "' already exists in the Graph");
    return status.AddNode(node.name());
  }
  return Status::OK();
}

std::string ImportedNames::FindUnique(const std::string& name) const {
  std::string candidate = name;
  for (int64_t count = 1; IsTaken(candidate) || (count > 1 && InGraphDef(candidate)); ++count) {
    candidate = StrCat(name, "_", count);
  }
  return candidate;
}

const std::string& ImportedNames::NewName(const std::string& name) {
  if (keep()) return name;
  const auto found = renamed_.find(name);
  if (found != renamed_.end()) return found->second;
  std::string made = prefix_ + name;
  if (counts_up_ && IsTaken(made)) made = FindUnique(made);
  return renamed_.try_emplace(name, std::move(made)).first->second;
}

void ImportedNames::RenameColocation(NodeDef* node) {
  const auto found = node->mutable_attr()->find("_class");
  if (found == node->mutable_attr()->end()) return;
  for (std::string& entry : *found->second.mutable_list()->mutable_s()) {
    if (!entry.starts_with(kLocation)) continue;
    const std::string name = entry.substr(kLocation.size());
    entry = std::string(kLocation) + NewName(name);
  }
}

Status ImportedNames::CheckColocation(const NodeDef& node, const StringMap<int>& index) const {
  const auto found = node.attr().find("_class");
  if (found == node.attr().end()) return Status::OK();
  for (const std::string& entry : found->second.list().s()) {
    if (!entry.starts_with(kLocation) ||
        index.contains(std::string_view(entry).substr(kLocation.size())))
      continue;
    return errors::InvalidArgument("Node '", node.name(),
                                   "' expects to be colocated with unknown node '",
                                   entry.substr(kLocation.size()), "'");
  }
  return Status::OK();
}

}  // namespace opscope
