#include "engine/kernels/queue.h"

#include <algorithm>
#include <cstring>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {

Status Queue::CheckTuple(const Tuple& tuple, bool many) const {
  if (tuple.size() != options_.types.size()) {
    return errors::InvalidArgument("Wrong number of components in tuple. Expected ", options_.types.size(), ", got ",
                                   tuple.size());
  }
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (tuple[i].dtype() != options_.types[i]) {
      return errors::InvalidArgument("Type mismatch in tuple component ", i, ". Expected ", DataTypeString(options_.types[i]),
                                     ", got ", DataTypeString(tuple[i].dtype()));
    }
    TensorShape shape = tuple[i].shape();
    if (many) {
      if (shape.dims() == 0) {
        return errors::InvalidArgument("All input tensors must have a leading dimension; component ", i, " is a scalar");
      }
      if (shape.dim_size(0) != tuple[0].dim_size(0)) {
        return errors::InvalidArgument("All input tensors must have the same size in the 0th dimension. Component ", i, " has ",
                                       shape.dim_size(0), ", and should have ", tuple[0].dim_size(0));
      }
      shape.RemoveDim(0);
    }
    if (!options_.shapes.empty() && !options_.shapes[i].IsCompatibleWith(shape)) {
      return errors::InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ",
                                     options_.shapes[i].DebugString(), ", got ", shape.DebugString());
    }
  }
  return Status::OK();
}

int64_t Queue::Size() const {
  std::lock_guard lock(mutex_);
  return Count();
}

bool Queue::is_closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

void Queue::Enqueue(OpKernelContext* context, std::vector<Tuple> elements, Done done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->kind = Attempt::Kind::kEnqueue;
  attempt->context = context;
  attempt->elements.assign(std::make_move_iterator(elements.begin()), std::make_move_iterator(elements.end()));
  attempt->done = std::move(done);
  Start(std::move(attempt));
}

void Queue::Dequeue(OpKernelContext* context, int64_t count, bool some, bool stack, Done done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->kind = Attempt::Kind::kDequeue;
  attempt->context = context;
  attempt->wanted = count;
  attempt->some = some;
  attempt->stack = stack;
  attempt->done = std::move(done);
  Start(std::move(attempt));
}

void Queue::Close(OpKernelContext* context, bool cancel_pending, Done done) {
  if (cancel_pending) {
    std::vector<AttemptPtr> pending;
    {
      std::lock_guard lock(mutex_);
      closed_ = no_more_ = true;
      for (const AttemptPtr& attempt : putting_) attempt->cancelled = true;
    }
    Flush();
    done(Status::OK(), {});
    return;
  }
  auto attempt = std::make_shared<Attempt>();
  attempt->kind = Attempt::Kind::kClose;
  attempt->context = context;
  attempt->done = std::move(done);
  {
    std::lock_guard lock(mutex_);
    closed_ = true;  // nobody may begin to put; those that wait already may go on
  }
  Start(std::move(attempt));
}

void Queue::Start(AttemptPtr attempt) {
  if (Cancellation* cancellation = attempt->context->cancellation()) {
    std::weak_ptr<Attempt> weak = attempt;
    attempt->registered = cancellation->RegisterCallback(
        [this, weak] {
          if (const AttemptPtr waiting = weak.lock()) Cancel(waiting);
        },
        &attempt->token);
    if (!attempt->registered) attempt->cancelled = true;
  }
  {
    std::lock_guard lock(mutex_);
    const bool refused = attempt->kind == Attempt::Kind::kEnqueue && closed_;
    if (refused) {
      no_more_ = no_more_ || putting_.empty();
      attempt->wanted = -1;  // told from an attempt that waited when the queue was closed
    }
    (attempt->kind == Attempt::Kind::kDequeue ? taking_ : putting_).push_back(attempt);
  }
  Flush();
}

void Queue::Cancel(const AttemptPtr& attempt) {
  {
    std::lock_guard lock(mutex_);
    attempt->cancelled = true;
  }
  Flush();
}

std::optional<Status> Queue::TryEnqueue(Attempt* attempt, bool* moved) {
  if (attempt->cancelled) return errors::Cancelled("Enqueue operation was cancelled");
  if (attempt->wanted == -1 || no_more_) {
    return errors::Cancelled(options_.kind, " '", options_.name, "' is closed.");
  }
  while (!attempt->elements.empty() && (options_.capacity < 0 || Count() < options_.capacity)) {
    Put(std::move(attempt->elements.front()));
    attempt->elements.pop_front();
    *moved = true;
  }
  if (attempt->elements.empty()) return Status::OK();
  return std::nullopt;
}

std::optional<Status> Queue::TryDequeue(Attempt* attempt, bool* moved) {
  const auto give_back = [&] {
    for (; !attempt->elements.empty(); attempt->elements.pop_back()) PutBack(std::move(attempt->elements.back()));
  };
  if (attempt->cancelled) {
    give_back();
    return errors::Cancelled("Dequeue operation was cancelled");
  }
  const bool finished = closed_ && putting_.empty();
  const int64_t keep = finished ? 0 : options_.min_after_dequeue;
  const auto have = [&] { return static_cast<int64_t>(attempt->elements.size()); };
  // A queue that is closed gives all that was asked for, or nothing.
  if (finished && !attempt->some && Count() + have() < attempt->wanted) {
    const int64_t size = Count() + have();
    give_back();
    return errors::OutOfRange(options_.kind, " '", options_.name, "' is closed and has insufficient elements (requested ",
                              attempt->wanted, ", current size ", size, ")");
  }
  while (have() < attempt->wanted && Count() > keep) {
    attempt->elements.push_back(Take());
    *moved = true;
  }
  if (have() == attempt->wanted) return Status::OK();
  if (!finished) return std::nullopt;
  if (have() > 0 || attempt->wanted == 0) return Status::OK();
  return errors::OutOfRange(options_.kind, " '", options_.name, "' is closed and has insufficient elements (requested ",
                            attempt->wanted, ", current size 0)");
}

std::optional<Status> Queue::TryClose(const Attempt& attempt) {
  if (attempt.cancelled) return errors::Cancelled("Close operation was cancelled");
  // Those that waited before it have had their turn.
  no_more_ = true;
  return Status::OK();
}

bool Queue::Step(std::deque<AttemptPtr>* attempts, std::vector<Finished>* finished) {
  bool moved = false;
  // One that was cancelled need not wait for its turn.
  for (auto it = attempts->begin(); it != attempts->end();) {
    Attempt* const attempt = it->get();
    if (it != attempts->begin() && !attempt->cancelled) {
      ++it;
      continue;
    }
    std::optional<Status> status;
    switch (attempt->kind) {
      case Attempt::Kind::kEnqueue: status = TryEnqueue(attempt, &moved); break;
      case Attempt::Kind::kDequeue: status = TryDequeue(attempt, &moved); break;
      case Attempt::Kind::kClose: status = TryClose(*attempt); break;
    }
    if (!status) {
      ++it;
      continue;
    }
    finished->push_back({*it, *status});
    moved = true;
    attempts->erase(it);
    it = attempts->begin();
  }
  return moved;
}

void Queue::Flush() {
  std::vector<Finished> finished;
  {
    std::lock_guard lock(mutex_);
    while (true) {
      const bool put = Step(&putting_, &finished);
      const bool taken = Step(&taking_, &finished);
      if (!put && !taken) break;
    }
  }
  for (const Finished& one : finished) Finish(one);
}

void Queue::Finish(const Finished& finished) {
  Attempt& attempt = *finished.attempt;
  // Not under the lock: the callback may be running, and wants it.
  if (attempt.registered) attempt.context->cancellation()->DeregisterCallback(attempt.token);
  Status status = finished.status;
  Tuple tuple;
  if (status.ok() && attempt.kind == Attempt::Kind::kDequeue) {
    if (attempt.stack) {
      auto joined = Join(attempt.context, attempt.elements);
      status = joined.status();
      if (joined.ok()) tuple = std::move(joined).value();
    } else {
      tuple = std::move(attempt.elements.front());
    }
  }
  attempt.done(status, std::move(tuple));
}

namespace {

// `part` into the corner of row `row` of `whole`, which may be larger in every dim.
void CopyPadded(const Tensor& part, int64_t row, Tensor* whole) {
  const int dims = part.dims();
  const int64_t row_size = ProductOfDims(whole->shape(), 1, whole->dims());
  if (part.NumElements() == 0) return;
  const int64_t run = dims == 0 ? 1 : part.dim_size(dims - 1);
  std::vector<int64_t> index(static_cast<size_t>(dims), 0);
  for (int64_t from = 0; from < part.NumElements(); from += run) {
    int64_t to = 0;
    for (int d = 0; d < dims; ++d) to = to * whole->dim_size(d + 1) + (d == dims - 1 ? 0 : index[static_cast<size_t>(d)]);
    CopyElements(part, from, run, whole, row * row_size + to);
    for (int d = dims - 2; d >= 0; --d) {
      if (++index[static_cast<size_t>(d)] < part.dim_size(d)) break;
      index[static_cast<size_t>(d)] = 0;
    }
  }
}

}  // namespace

StatusOr<Queue::Tuple> Queue::Join(OpKernelContext* context, const std::deque<Tuple>& elements) const {
  Tuple joined;
  for (size_t i = 0; i < options_.types.size(); ++i) {
    std::vector<int64_t> dims{static_cast<int64_t>(elements.size())};
    if (elements.empty()) {
      for (const int64_t dim : options_.shapes[i].dim_sizes()) dims.push_back(std::max<int64_t>(0, dim));
    } else {
      const auto first = elements[0][i].shape().dim_sizes();
      dims.insert(dims.end(), first.begin(), first.end());
    }
    for (const Tuple& element : elements) {
      for (int d = 0; d < element[i].dims(); ++d) {
        auto& dim = dims[static_cast<size_t>(d) + 1];
        dim = std::max(dim, element[i].dim_size(d));
      }
    }
    OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
    Tensor whole;
    OS_RETURN_IF_ERROR(context->allocate_temp(options_.types[i], shape, &whole));
    const size_t width = DataTypeSize(whole.dtype());
    if (options_.pads && width > 0 && whole.NumElements() > 0) {
      std::memset(whole.raw_data(), 0, static_cast<size_t>(whole.NumElements()) * width);
    }
    for (size_t row = 0; row < elements.size(); ++row) CopyPadded(elements[row][i], static_cast<int64_t>(row), &whole);
    joined.push_back(std::move(whole));
  }
  return joined;
}

}  // namespace opscope::kernels
