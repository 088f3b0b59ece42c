#include "engine/framework/current_cancellation.h"

#include <utility>

namespace opscope {
namespace {

thread_local const Cancellation* current = nullptr;

}  // namespace

bool CurrentStepIsCancelled() { return current && current->IsCancelled(); }

CurrentCancellation::CurrentCancellation(const Cancellation* cancellation)
    : previous_(std::exchange(current, cancellation)) {}

CurrentCancellation::~CurrentCancellation() { current = previous_; }

}  // namespace opscope
