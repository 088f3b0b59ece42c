#include "engine/runtime/plan_cache.h"

#include <algorithm>
#include <functional>

namespace opscope {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29); }

}  // namespace

uint64_t RunSignature::Hash() const {
  uint64_t hash = Mix(num_feeds, num_fetches);
  for (const std::string_view name : names) hash = Mix(hash, std::hash<std::string_view>()(name));
  return hash;
}

PlanCache::~PlanCache() {
  for (auto& bucket : buckets_) {
    Entry* entry = bucket.load(std::memory_order_relaxed);
    while (entry) {
      const std::unique_ptr<Entry> gone(entry);
      entry = gone->next;
    }
  }
}

const SessionPlan* PlanCache::Find(const RunSignature& signature, uint64_t hash) const {
  for (const Entry* entry = buckets_[hash % kBuckets].load(std::memory_order_acquire); entry; entry = entry->next) {
    if (entry->hash == hash && entry->num_feeds == signature.num_feeds && entry->num_fetches == signature.num_fetches &&
        std::equal(entry->names.begin(), entry->names.end(), signature.names.begin(), signature.names.end())) {
      return &entry->plan;
    }
  }
  return nullptr;
}

const SessionPlan* PlanCache::Insert(const RunSignature& signature, uint64_t hash, SessionPlan plan) {
  auto entry = std::make_unique<Entry>();
  entry->hash = hash;
  entry->names.assign(signature.names.begin(), signature.names.end());
  entry->num_feeds = signature.num_feeds;
  entry->num_fetches = signature.num_fetches;
  entry->plan = std::move(plan);
  auto& bucket = buckets_[hash % kBuckets];
  entry->next = bucket.load(std::memory_order_relaxed);
  const SessionPlan* const result = &entry->plan;
  bucket.store(entry.release(), std::memory_order_release);
  size_.fetch_add(1, std::memory_order_relaxed);
  return result;
}

}  // namespace opscope
