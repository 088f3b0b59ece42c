// FIFOQueueV2 and its kin, and the ops that put, take and close.

#include <atomic>
#include <map>

#include "engine/kernels/kernel_util.h"
#include "engine/kernels/philox.h"
#include "engine/kernels/queue.h"

namespace opscope::kernels {
namespace {

class FifoQueue final : public Queue {
 public:
  using Queue::Queue;

 private:
  void Put(Tuple tuple) override { elements_.push_back(std::move(tuple)); }
  void PutBack(Tuple tuple) override { elements_.push_front(std::move(tuple)); }
  Tuple Take() override {
    Tuple tuple = std::move(elements_.front());
    elements_.pop_front();
    return tuple;
  }
  int64_t Count() const override { return static_cast<int64_t>(elements_.size()); }

  std::deque<Tuple> elements_;
};

class ShuffleQueue final : public Queue {
 public:
  ShuffleQueue(Options options, uint64_t seed, uint64_t stream) : Queue(std::move(options)), source_(seed, stream), numbers_(&source_) {}

 private:
  void Put(Tuple tuple) override { elements_.push_back(std::move(tuple)); }
  Tuple Take() override {
    // The last one takes the place of the one that goes.
    const size_t index = numbers_.Next() % elements_.size();
    std::swap(elements_[index], elements_.back());
    Tuple tuple = std::move(elements_.back());
    elements_.pop_back();
    return tuple;
  }
  int64_t Count() const override { return static_cast<int64_t>(elements_.size()); }

  Philox source_;
  PhiloxSingles numbers_;
  std::vector<Tuple> elements_;
};

// The smallest priority (an int64, the first component) first.
class PriorityQueue final : public Queue {
 public:
  using Queue::Queue;

 private:
  static int64_t PriorityOf(const Tuple& tuple) { return tuple[0].scalar<int64_t>(); }
  void Put(Tuple tuple) override {
    const int64_t priority = PriorityOf(tuple);
    elements_.emplace(priority, std::move(tuple));
  }
  void PutBack(Tuple tuple) override {
    const int64_t priority = PriorityOf(tuple);
    elements_.emplace_hint(elements_.lower_bound(priority), priority, std::move(tuple));
  }
  Tuple Take() override {
    Tuple tuple = std::move(elements_.begin()->second);
    elements_.erase(elements_.begin());
    return tuple;
  }
  int64_t Count() const override { return static_cast<int64_t>(elements_.size()); }

  std::multimap<int64_t, Tuple> elements_;
};

class QueueOp final : public OpKernel {
 public:
  explicit QueueOp(OpKernelConstruction* c) : OpKernel(c) { c->CtxFailure(Init(c)); }

  void Compute(OpKernelContext* context) override {
    const std::string container(container_.empty() ? context->session_container() : std::string_view(container_));
    auto queue = context->resource_manager()->LookupOrCreate<Queue>(container, options_.name, [&] { return Make(); });
    OP_REQUIRES_OK(context, queue.status());
    OP_REQUIRES(context, (*queue)->options().kind == options_.kind && (*queue)->options().types == options_.types,
                errors::InvalidArgument("Shared queue '", options_.name, "' has another kind or other component types than node ",
                                        name()));
    ResourceHandle handle;
    handle.device = context->device()->name();
    handle.container = container;
    handle.name = options_.name;
    handle.maybe_type_name = "N10tensorflow14QueueInterfaceE";
    context->set_output(0, Tensor::Scalar(handle));
  }
  bool IsExpensive() const override { return false; }

 private:
  Status Init(OpKernelConstruction* c) {
    OS_RETURN_IF_ERROR(c->GetAttr("component_types", &options_.types));
    OS_RETURN_IF_ERROR(c->GetAttr("shapes", &options_.shapes));
    OS_RETURN_IF_ERROR(c->GetAttr("capacity", &options_.capacity));
    OS_RETURN_IF_ERROR(c->GetAttr("container", &container_));
    OS_RETURN_IF_ERROR(c->GetAttr("shared_name", &options_.name));
    static std::atomic<int64_t> counter{0};
    if (options_.name.empty()) options_.name = StrCat("_", counter++, "_", name());
    options_.kind = type_string().substr(0, type_string().size() - 2);  // without "V2"
    options_.pads = options_.kind == "PaddingFIFOQueue";
    if (options_.capacity < 0) options_.capacity = -1;
    if (options_.kind == "RandomShuffleQueue") OS_RETURN_IF_ERROR(InitShuffle(c));
    if (options_.kind == "PriorityQueue") {
      // The priority isn't among the attributes.
      options_.types.insert(options_.types.begin(), DT_INT64);
      if (!options_.shapes.empty() || options_.types.size() == 1) {
        options_.shapes.insert(options_.shapes.begin(), PartialTensorShape(TensorShape()));
      }
    }
    if (!options_.shapes.empty() && options_.shapes.size() != options_.types.size()) {
      return errors::InvalidArgument("shapes has ", options_.shapes.size(), " entries for ", options_.types.size(), " components");
    }
    for (const PartialTensorShape& shape : options_.shapes) {
      if (!options_.pads && !shape.IsFullyDefined()) {
        return errors::InvalidArgument("shape ", shape.DebugString(), " of a component should be fully known");
      }
    }
    return Status::OK();
  }

  Status InitShuffle(OpKernelConstruction* c) {
    OS_RETURN_IF_ERROR(c->GetAttr("min_after_dequeue", &options_.min_after_dequeue));
    OS_RETURN_IF_ERROR(c->GetAttr("seed", &seed_));
    OS_RETURN_IF_ERROR(c->GetAttr("seed2", &seed2_));
    if (options_.min_after_dequeue < 0) {
      return errors::InvalidArgument("min_after_dequeue ", options_.min_after_dequeue, " must be >= 0");
    }
    if (options_.capacity >= 0 && options_.min_after_dequeue >= options_.capacity) {
      return errors::InvalidArgument("min_after_dequeue ", options_.min_after_dequeue, " must be < capacity ", options_.capacity);
    }
    return Status::OK();
  }

  StatusOr<std::shared_ptr<Queue>> Make() const {
    if (options_.kind == "RandomShuffleQueue") {
      int64_t seed = seed_, seed2 = seed2_;
      if (seed == 0 && seed2 == 0) {  // means: any
        static std::atomic<int64_t> any{0x5eed};
        seed = any++;
      }
      return std::shared_ptr<Queue>(std::make_shared<ShuffleQueue>(options_, static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)));
    }
    if (options_.kind == "PriorityQueue") return std::shared_ptr<Queue>(std::make_shared<PriorityQueue>(options_));
    return std::shared_ptr<Queue>(std::make_shared<FifoQueue>(options_));
  }

  Queue::Options options_;
  std::string container_;
  int64_t seed_ = 0, seed2_ = 0;
};

StatusOr<std::shared_ptr<Queue>> FindQueue(OpKernelContext* context) {
  const Tensor& handle = context->input(0);
  if (handle.dtype() != DT_RESOURCE || handle.NumElements() != 1) {
    return errors::InvalidArgument("Input 0 of ", context->op_kernel().type_string(), " must be the handle of a queue");
  }
  const ResourceHandle& resource = handle.flat<ResourceHandle>()[0];
  return context->resource_manager()->Lookup<Queue>(resource.container, resource.name);
}

Status CheckTimeout(const OpKernelConstruction& c) {
  int64_t timeout = -1;
  if (c.HasAttr("timeout_ms")) OS_RETURN_IF_ERROR(c.GetAttr("timeout_ms", &timeout));
  return timeout == -1 ? Status::OK() : errors::InvalidArgument("Timeout not supported yet.");
}

// The rows of a tuple as elements.
StatusOr<std::vector<Queue::Tuple>> SplitTuple(OpKernelContext* context, const Queue::Tuple& tuple) {
  std::vector<Queue::Tuple> elements;
  const int64_t rows = tuple.empty() ? 0 : tuple[0].dim_size(0);
  for (int64_t row = 0; row < rows; ++row) {
    Queue::Tuple element;
    for (const Tensor& component : tuple) {
      TensorShape shape = component.shape();
      shape.RemoveDim(0);
      Tensor part;
      OS_RETURN_IF_ERROR(context->allocate_temp(component.dtype(), shape, &part));
      CopyElements(component, row * shape.num_elements(), shape.num_elements(), &part, 0);
      element.push_back(std::move(part));
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

template <bool kMany>
class EnqueueOp final : public AsyncOpKernel {
 public:
  explicit EnqueueOp(OpKernelConstruction* c) : AsyncOpKernel(c) { OP_REQUIRES_OK(c, CheckTimeout(*c)); }

  void ComputeAsync(OpKernelContext* context, Done done) override {
    auto queue = FindQueue(context);
    OP_REQUIRES_OK_ASYNC(context, queue.status(), done);
    Queue::Tuple tuple;
    for (int i = 1; i < context->num_inputs(); ++i) tuple.push_back(context->input(i));
    OP_REQUIRES_OK_ASYNC(context, (*queue)->CheckTuple(tuple, kMany), done);
    std::vector<Queue::Tuple> elements;
    if constexpr (kMany) {
      auto split = SplitTuple(context, tuple);
      OP_REQUIRES_OK_ASYNC(context, split.status(), done);
      elements = std::move(split).value();
    } else {
      elements.push_back(std::move(tuple));
    }
    (*queue)->Enqueue(context, std::move(elements), [context, done, keep = *queue](const Status& status, const Queue::Tuple&) {
      context->CtxFailure(status);
      done();
    });
  }
};

// One, many or up to many elements.
enum class Amount { kOne, kMany, kUpTo };

template <Amount kAmount>
class DequeueOp final : public AsyncOpKernel {
 public:
  explicit DequeueOp(OpKernelConstruction* c) : AsyncOpKernel(c) { OP_REQUIRES_OK(c, CheckTimeout(*c)); }

  void ComputeAsync(OpKernelContext* context, Done done) override {
    auto queue = FindQueue(context);
    OP_REQUIRES_OK_ASYNC(context, queue.status(), done);
    const Queue::Options& options = (*queue)->options();
    OP_REQUIRES_ASYNC(context, static_cast<int>(options.types.size()) == context->num_outputs(),
                      errors::InvalidArgument("the queue has ", options.types.size(), " components, the op ",
                                              context->num_outputs(), " outputs"),
                      done);
    for (int i = 0; i < context->num_outputs(); ++i) {
      OP_REQUIRES_ASYNC(context, options.types[static_cast<size_t>(i)] == context->expected_output_dtype(i),
                        errors::InvalidArgument("Type mismatch in component ", i, ". The queue has ",
                                                DataTypeString(options.types[static_cast<size_t>(i)]), ", the op wants ",
                                                DataTypeString(context->expected_output_dtype(i))),
                        done);
    }
    int64_t count = 1;
    if constexpr (kAmount != Amount::kOne) {
      auto wanted = ToInt64(context->input(1), "n");
      OP_REQUIRES_OK_ASYNC(context, wanted.status(), done);
      count = *wanted;
      OP_REQUIRES_ASYNC(context, count >= 0,
                        errors::InvalidArgument(kAmount == Amount::kMany ? "DequeueManyOp" : "DequeueUpToOp", " requested ", count,
                                                " < 0 elements"),
                        done);
      OP_REQUIRES_ASYNC(context, !options.shapes.empty(),
                        errors::InvalidArgument(options.kind, "'s DequeueMany and DequeueUpTo require the components to have "
                                                              "specified shapes."),
                        done);
    }
    (*queue)->Dequeue(context, count, kAmount == Amount::kUpTo, kAmount != Amount::kOne,
                      [context, done, keep = *queue](const Status& status, Queue::Tuple tuple) {
                        context->CtxFailure(status);
                        for (size_t i = 0; i < tuple.size(); ++i) context->set_output(static_cast<int>(i), std::move(tuple[i]));
                        done();
                      });
  }
};

class QueueCloseOp final : public AsyncOpKernel {
 public:
  explicit QueueCloseOp(OpKernelConstruction* c) : AsyncOpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("cancel_pending_enqueues", &cancel_pending_));
  }
  void ComputeAsync(OpKernelContext* context, Done done) override {
    auto queue = FindQueue(context);
    OP_REQUIRES_OK_ASYNC(context, queue.status(), done);
    OP_REQUIRES_ASYNC(context, !(*queue)->is_closed() || cancel_pending_,
                      errors::Cancelled((*queue)->options().kind, " '", (*queue)->options().name, "' is already closed."), done);
    (*queue)->Close(context, cancel_pending_, [context, done, keep = *queue](const Status& status, const Queue::Tuple&) {
      context->CtxFailure(status);
      done();
    });
  }

 private:
  bool cancel_pending_ = false;
};

class QueueSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto queue = FindQueue(context);
    OP_REQUIRES_OK(context, queue.status());
    context->set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>((*queue)->Size())));
  }
  bool IsExpensive() const override { return false; }
};

class QueueIsClosedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto queue = FindQueue(context);
    OP_REQUIRES_OK(context, queue.status());
    context->set_output(0, Tensor::Scalar<bool>((*queue)->is_closed()));
  }
  bool IsExpensive() const override { return false; }
};

const CpuKernel<QueueOp> queue({"FIFOQueueV2", "RandomShuffleQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2"}, {});
const CpuKernel<EnqueueOp<false>> enqueue({"QueueEnqueueV2"}, {});
const CpuKernel<EnqueueOp<true>> enqueue_many({"QueueEnqueueManyV2"}, {});
const CpuKernel<DequeueOp<Amount::kOne>> dequeue({"QueueDequeueV2"}, {});
const CpuKernel<DequeueOp<Amount::kMany>> dequeue_many({"QueueDequeueManyV2"}, {});
const CpuKernel<DequeueOp<Amount::kUpTo>> dequeue_up_to({"QueueDequeueUpToV2"}, {});
const CpuKernel<QueueCloseOp> close_queue({"QueueCloseV2"}, {});
const CpuKernel<QueueSizeOp> size({"QueueSizeV2"}, {});
const CpuKernel<QueueIsClosedOp> is_closed({"QueueIsClosedV2"}, {});

}  // namespace
}  // namespace opscope::kernels
