#pragma once
// Queues of tuples of tensors: who takes waits until somebody puts, without holding a thread.

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/framework/op_kernel.h"

namespace opscope::kernels {

/// One queue of a session. Which element comes next is the kinds' own (Put, Take). Rules and wording of errors as TensorFlow's.
/// Threads: all functions from any thread. Callbacks run outside of the lock.
class Queue : public ResourceBase {
 public:
  using Tuple = std::vector<Tensor>;
  using Done = std::function<void(const Status&, Tuple)>;
  struct Options {
    std::string kind, name;       ///< "FIFOQueue", "_0_q".
    std::vector<DataType> types;
    std::vector<PartialTensorShape> shapes;   ///< Of the components; none: any.
    int64_t capacity = -1;        ///< -1: unbounded.
    int64_t min_after_dequeue = 0;
    bool pads = false;            ///< DequeueMany fills up components of different shapes with zeros.
  };

  explicit Queue(Options options) : options_(std::move(options)) {}
  std::string DebugString() const override { return options_.kind + " " + options_.name; }
  const Options& options() const { return options_; }

  /// Whether a tuple may be put in; `many` = with a leading dim of elements.
  Status CheckTuple(const Tuple& tuple, bool many) const;
  /// Puts the elements in one after another, as there is room.
  void Enqueue(OpKernelContext* context, std::vector<Tuple> elements, Done done);
  /// Takes `count` elements. `some`: fewer when the queue is closed. `stack`: joined along a new first dim.
  void Dequeue(OpKernelContext* context, int64_t count, bool some, bool stack, Done done);
  void Close(OpKernelContext* context, bool cancel_pending, Done done);
  int64_t Size() const;
  bool is_closed() const;

 protected:
  virtual void Put(Tuple tuple) = 0;      ///< The lock is held.
  virtual void PutBack(Tuple tuple) { Put(std::move(tuple)); }
  virtual Tuple Take() = 0;
  virtual int64_t Count() const = 0;

 private:
  /// Somebody who waits.
  struct Attempt {
    enum class Kind { kEnqueue, kDequeue, kClose } kind = Kind::kEnqueue;
    OpKernelContext* context = nullptr;
    std::deque<Tuple> elements;   ///< Still to be put, or taken so far.
    int64_t wanted = 0;
    bool some = false, stack = false, cancelled = false;
    Cancellation::Token token = 0;
    bool registered = false;
    Done done;
  };
  using AttemptPtr = std::shared_ptr<Attempt>;
  struct Finished {
    AttemptPtr attempt;
    Status status;
  };

  void Start(AttemptPtr attempt);
  void Cancel(const AttemptPtr& attempt);
  void Flush();
  bool Step(std::deque<AttemptPtr>* attempts, std::vector<Finished>* finished);
  /// nullopt: has to wait.
  std::optional<Status> TryEnqueue(Attempt* attempt, bool* moved);
  std::optional<Status> TryDequeue(Attempt* attempt, bool* moved);
  std::optional<Status> TryClose(const Attempt& attempt);
  void Finish(const Finished& finished);
  StatusOr<Tuple> Join(OpKernelContext* context, const std::deque<Tuple>& elements) const;

  const Options options_;
  mutable std::mutex mutex_;
  std::deque<AttemptPtr> putting_, taking_;
  bool closed_ = false, no_more_ = false;  ///< no_more_: closed for those that put and wait, too.
};

}  // namespace opscope::kernels
