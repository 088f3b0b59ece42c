#pragma once
// The cancellation of the step that the calling thread works for, for loops far below a kernel.

#include "engine/framework/cancellation.h"

namespace opscope {

/// Whether the step is cancelled: what is computed now, nobody will see. Long loops look at it every few milliseconds.
bool CurrentStepIsCancelled();

/// Says for which step the calling thread works while it lives. Scopes nest.
class CurrentCancellation {
 public:
  explicit CurrentCancellation(const Cancellation* cancellation);
  ~CurrentCancellation();
  CurrentCancellation(const CurrentCancellation&) = delete;
  CurrentCancellation& operator=(const CurrentCancellation&) = delete;

 private:
  const Cancellation* previous_;
};

}  // namespace opscope
