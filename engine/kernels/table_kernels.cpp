// Lookup tables: from keys to values, filled once (HashTableV2) or changed by steps (MutableHashTableV2).

#include <atomic>
#include <unordered_map>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

/// One table. Keys and values are kept as the bytes of their elements, so that one type does for all. Threads: all functions
/// from any thread.
class LookupTable final : public ResourceBase {
 public:
  LookupTable(bool is_mutable, DataType key, DataType value) : mutable_(is_mutable), key_dtype_(key), value_dtype_(value) {}
  std::string DebugString() const override { return "LookupTable"; }
  bool is_mutable() const { return mutable_; }
  DataType key_dtype() const { return key_dtype_; }
  DataType value_dtype() const { return value_dtype_; }

  Status CheckTypes(DataType key, DataType value) const {
    if (key != key_dtype_) {
      return errors::InvalidArgument("Key must be type ", DataTypeString(key_dtype_), " but got ", DataTypeString(key));
    }
    if (value != value_dtype_) {
      return errors::InvalidArgument("Value must be type ", DataTypeString(value_dtype_), " but got ", DataTypeString(value));
    }
    return Status::OK();
  }

  /// Fills a table that is filled once; again with the same entries is fine.
  Status Initialize(const Tensor& keys, const Tensor& values) {
    std::lock_guard lock(mutex_);
    std::unordered_map<std::string, std::string> entries;
    for (int64_t i = 0; i < keys.NumElements(); ++i) {
      const auto [known, is_new] = entries.try_emplace(Bytes(keys, i), Bytes(values, i));
      if (!is_new && known->second != Bytes(values, i)) {
        return errors::InvalidArgument("HashTable has different value for same key. Key ", keys.ElementText(i), " has ",
                                       ValueText(known->second), " and trying to add value ", values.ElementText(i));
      }
    }
    if (initialized_) {
      return entries == entries_ ? Status::OK()
                                 : errors::FailedPrecondition("Table was already initialized with different data.");
    }
    entries_ = std::move(entries);
    initialized_ = true;
    return Status::OK();
  }

  Status Insert(const Tensor& keys, const Tensor& values, bool replace_all) {
    if (!mutable_) return errors::Unimplemented("Insert not supported by InitializableLookupTable");
    std::lock_guard lock(mutex_);
    if (replace_all) entries_.clear();
    for (int64_t i = 0; i < keys.NumElements(); ++i) entries_[Bytes(keys, i)] = Bytes(values, i);
    return Status::OK();
  }

  Status Remove(const Tensor& keys) {
    if (!mutable_) return errors::Unimplemented("Remove not supported by InitializableLookupTable");
    std::lock_guard lock(mutex_);
    for (int64_t i = 0; i < keys.NumElements(); ++i) entries_.erase(Bytes(keys, i));
    return Status::OK();
  }

  /// `fallback` has one element, or one for each key.
  Status Find(const Tensor& keys, const Tensor& fallback, Tensor* values) const {
    std::lock_guard lock(mutex_);
    OS_RETURN_IF_ERROR(CheckReady());
    for (int64_t i = 0; i < keys.NumElements(); ++i) {
      const auto found = entries_.find(Bytes(keys, i));
      if (found != entries_.end()) {
        Put(found->second, i, values);
      } else {
        CopyElements(fallback, fallback.NumElements() == 1 ? 0 : i, 1, values, i);
      }
    }
    return Status::OK();
  }

  StatusOr<int64_t> Size() const {
    std::lock_guard lock(mutex_);
    OS_RETURN_IF_ERROR(CheckReady());
    return static_cast<int64_t>(entries_.size());
  }

  /// All entries. REQUIRES: `make` gives two tensors for that many.
  template <typename Make>
  Status Export(Make&& make) const {
    std::lock_guard lock(mutex_);
    OS_RETURN_IF_ERROR(CheckReady());
    Tensor *keys = nullptr, *values = nullptr;
    OS_RETURN_IF_ERROR(make(static_cast<int64_t>(entries_.size()), &keys, &values));
    int64_t i = 0;
    for (const auto& [key, value] : entries_) {
      Put(key, i, keys);
      Put(value, i++, values);
    }
    return Status::OK();
  }

 private:
  Status CheckReady() const {
    return mutable_ || initialized_ ? Status::OK() : errors::FailedPrecondition("Table not initialized.");
  }

  static std::string Bytes(const Tensor& t, int64_t i) {
    if (t.dtype() == DT_STRING) return t.flat<tstring>()[static_cast<size_t>(i)];
    const size_t width = DataTypeSize(t.dtype());
    return std::string(static_cast<const char*>(t.raw_data()) + static_cast<size_t>(i) * width, width);
  }

  static void Put(const std::string& bytes, int64_t i, Tensor* t) {
    if (t->dtype() == DT_STRING) {
      t->flat<tstring>()[static_cast<size_t>(i)] = bytes;
      return;
    }
    std::copy(bytes.begin(), bytes.end(), static_cast<char*>(t->raw_data()) + static_cast<size_t>(i) * bytes.size());
  }

  std::string ValueText(const std::string& bytes) const {
    Tensor one(value_dtype_, TensorShape());
    Put(bytes, 0, &one);
    return one.ElementText(0);
  }

  const bool mutable_;
  const DataType key_dtype_, value_dtype_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> entries_;
  bool initialized_ = false;
};

class TableOp final : public OpKernel {
 public:
  explicit TableOp(OpKernelConstruction* c) : OpKernel(c), mutable_(type_string().starts_with("Mutable")) {
    OP_REQUIRES_OK(c, c->GetAttr("key_dtype", &key_));
    OP_REQUIRES_OK(c, c->GetAttr("value_dtype", &value_));
    OP_REQUIRES_OK(c, c->GetAttr("container", &container_));
    OP_REQUIRES_OK(c, c->GetAttr("shared_name", &name_));
    bool by_node = false;
    OP_REQUIRES_OK(c, c->GetAttr("use_node_name_sharing", &by_node));
    static std::atomic<int64_t> counter{0};
    if (name_.empty()) name_ = by_node ? name() : StrCat("_", counter++, "_", name());
  }

  void Compute(OpKernelContext* context) override {
    const std::string container(container_.empty() ? context->session_container() : std::string_view(container_));
    auto table = context->resource_manager()->LookupOrCreate<LookupTable>(
        container, name_, [this]() -> StatusOr<std::shared_ptr<LookupTable>> {
          return std::make_shared<LookupTable>(mutable_, key_, value_);
        });
    OP_REQUIRES_OK(context, table.status());
    OP_REQUIRES(context, (*table)->key_dtype() == key_ && (*table)->value_dtype() == value_,
                errors::InvalidArgument("Conflicting key/value dtypes ", DataTypeString(key_), "->", DataTypeString(value_),
                                        " with ", DataTypeString((*table)->key_dtype()), "-",
                                        DataTypeString((*table)->value_dtype()), " for table ", name_));
    ResourceHandle handle;
    handle.device = context->device()->name();
    handle.container = container;
    handle.name = name_;
    handle.maybe_type_name = "N10tensorflow6lookup15LookupInterfaceE";
    context->set_output(0, Tensor::Scalar(handle));
  }
  bool IsExpensive() const override { return false; }

 private:
  bool mutable_;
  DataType key_ = DT_INVALID, value_ = DT_INVALID;
  std::string container_, name_;
};

StatusOr<std::shared_ptr<LookupTable>> FindTable(OpKernelContext* context) {
  const Tensor& handle = context->input(0);
  if (handle.dtype() != DT_RESOURCE || handle.NumElements() != 1) {
    return errors::InvalidArgument("Input 0 of ", context->op_kernel().type_string(), " must be the handle of a table");
  }
  const ResourceHandle& resource = handle.flat<ResourceHandle>()[0];
  return context->resource_manager()->Lookup<LookupTable>(resource.container, resource.name);
}

class LookupTableFindOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto table = FindTable(context);
    OP_REQUIRES_OK(context, table.status());
    const Tensor &keys = context->input(1), &fallback = context->input(2);
    OP_REQUIRES_OK(context, (*table)->CheckTypes(keys.dtype(), fallback.dtype()));
    OP_REQUIRES(context, fallback.dims() == 0 || fallback.shape() == keys.shape(),
                errors::InvalidArgument("Expected shape [] or ", keys.shape().DebugString(), " for default value, got ",
                                        fallback.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, keys.shape(), &out));
    OP_REQUIRES_OK(context, (*table)->Find(keys, fallback, out));
  }
};

// Insert, Import and Initialize: keys and values of one shape.
class LookupTableFillOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto table = FindTable(context);
    OP_REQUIRES_OK(context, table.status());
    const Tensor &keys = context->input(1), &values = context->input(2);
    const bool initialize = type_string().starts_with("Initialize");
    OP_REQUIRES(context, !initialize || IsVector(keys),
                errors::InvalidArgument("Keys must be a vector, but received shape", keys.shape().DebugString()));
    OP_REQUIRES(context, keys.shape() == values.shape(),
                errors::InvalidArgument("Expected shape ", keys.shape().DebugString(), " for value, got ",
                                        values.shape().DebugString()));
    OP_REQUIRES_OK(context, (*table)->CheckTypes(keys.dtype(), values.dtype()));
    if (initialize) {
      OP_REQUIRES(context, !(*table)->is_mutable(), errors::InvalidArgument("Table must be InitializableLookupTable"));
      OP_REQUIRES_OK(context, (*table)->Initialize(keys, values));
    } else {
      OP_REQUIRES_OK(context, (*table)->Insert(keys, values, type_string() == "LookupTableImportV2"));
    }
  }
};

class LookupTableRemoveOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto table = FindTable(context);
    OP_REQUIRES_OK(context, table.status());
    OP_REQUIRES_OK(context, (*table)->CheckTypes(context->input(1).dtype(), (*table)->value_dtype()));
    OP_REQUIRES_OK(context, (*table)->Remove(context->input(1)));
  }
};

class LookupTableSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto table = FindTable(context);
    OP_REQUIRES_OK(context, table.status());
    auto size = (*table)->Size();
    OP_REQUIRES_OK(context, size.status());
    context->set_output(0, Tensor::Scalar<int64_t>(*size));
  }
  bool IsExpensive() const override { return false; }
};

class LookupTableExportOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto table = FindTable(context);
    OP_REQUIRES_OK(context, table.status());
    OP_REQUIRES_OK(context, (*table)->CheckTypes(output_type(0), output_type(1)));
    OP_REQUIRES_OK(context, (*table)->Export([&](int64_t count, Tensor** keys, Tensor** values) -> Status {
                     OS_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({count}), keys));
                     return context->allocate_output(1, TensorShape({count}), values);
                   }));
  }
};

const CpuKernel<TableOp> table({"HashTableV2", "MutableHashTableV2"}, {});
const CpuKernel<LookupTableFindOp> find({"LookupTableFindV2"}, {});
const CpuKernel<LookupTableFillOp> fill({"LookupTableInsertV2", "LookupTableImportV2", "InitializeTableV2"}, {});
const CpuKernel<LookupTableRemoveOp> remove_keys({"LookupTableRemoveV2"}, {});
const CpuKernel<LookupTableSizeOp> size({"LookupTableSizeV2"}, {});
const CpuKernel<LookupTableExportOp> export_entries({"LookupTableExportV2"}, {});

}  // namespace
}  // namespace opscope::kernels
