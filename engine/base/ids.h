#pragma once
// Strong 32-bit ids. Modules hand ids to each other, never pointers into each other's data.

#include <cstdint>
#include <functional>
#include <limits>

namespace opscope {

/// An index into the arrays of its owner; ids of different kinds do not convert into each other.
template <typename Tag>
struct Id {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t v) : value(v) {}
  constexpr explicit Id(size_t v) : value(static_cast<uint32_t>(v)) {}
  constexpr bool valid() const { return value != kNone; }
  constexpr size_t index() const { return value; }
  friend constexpr bool operator==(Id a, Id b) { return a.value == b.value; }
  friend constexpr auto operator<=>(Id a, Id b) { return a.value <=> b.value; }
};

using NodeId = Id<struct NodeTag>;
using EdgeId = Id<struct EdgeTag>;
using ScopeId = Id<struct ScopeTag>;
using DeviceId = Id<struct DeviceTag>;
using EventId = Id<struct EventTag>;

}  // namespace opscope

template <typename Tag>
struct std::hash<opscope::Id<Tag>> {
  size_t operator()(opscope::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.value); }
};
