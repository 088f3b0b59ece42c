#pragma once
// Short forms for tests of the C API, over its own header alone.

#include "engine/c_api/c_api.h"

#include <QString>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

/// A status that is deleted.
class CStatus {
 public:
  CStatus() : status_(TF_NewStatus()) {}
  ~CStatus() { TF_DeleteStatus(status_); }
  CStatus(const CStatus&) = delete;
  CStatus& operator=(const CStatus&) = delete;

  operator TF_Status*() const { return status_; }  // NOLINT(google-explicit-constructor)
  bool ok() const { return TF_GetCode(status_) == TF_OK; }
  TF_Code code() const { return TF_GetCode(status_); }
  QString message() const { return QString::fromUtf8(TF_Message(status_)); }

 private:
  TF_Status* status_;
};

/// A graph with a session, and operations made in one line.
class CGraph {
 public:
  CGraph() : graph_(TF_NewGraph()) {}
  ~CGraph() {
    if (session_ != nullptr) TF_DeleteSession(session_, status_);
    TF_DeleteGraph(graph_);
  }
  CGraph(const CGraph&) = delete;
  CGraph& operator=(const CGraph&) = delete;

  operator TF_Graph*() const { return graph_; }  // NOLINT(google-explicit-constructor)
  CStatus& status() { return status_; }

  TF_Output Placeholder(const char* name, TF_DataType type = TF_FLOAT) {
    TF_OperationDescription* desc = TF_NewOperation(graph_, "Placeholder", name);
    TF_SetAttrType(desc, "dtype", type);
    return {TF_FinishOperation(desc, status_), 0};
  }
  template <typename T>
  TF_Output Constant(const char* name, T value, TF_DataType type) {
    TF_Tensor* tensor = Scalar(value, type);
    TF_OperationDescription* desc = TF_NewOperation(graph_, "Const", name);
    TF_SetAttrType(desc, "dtype", type);
    TF_SetAttrTensor(desc, "value", tensor, status_);
    TF_DeleteTensor(tensor);
    return {TF_FinishOperation(desc, status_), 0};
  }
  TF_Output Add(const char* op, const char* name, std::initializer_list<TF_Output> inputs) {
    TF_OperationDescription* desc = TF_NewOperation(graph_, op, name);
    for (const TF_Output& input : inputs) TF_AddInput(desc, input);
    return {TF_FinishOperation(desc, status_), 0};
  }

  /// Runs in a session that is made at the first call; nullptr after a failure.
  TF_Tensor* Run(const std::vector<TF_Output>& inputs, const std::vector<TF_Tensor*>& values,
                 TF_Output fetch) {
    if (session_ == nullptr) {
      TF_SessionOptions* options = TF_NewSessionOptions();
      session_ = TF_NewSession(graph_, options, status_);
      TF_DeleteSessionOptions(options);
    }
    TF_Tensor* out = nullptr;
    TF_SessionRun(session_, nullptr, inputs.data(), values.data(), static_cast<int>(inputs.size()),
                  &fetch, &out, 1, nullptr, 0, nullptr, status_);
    return out;
  }
  TF_Session* session() { return session_; }

  template <typename T>
  static TF_Tensor* Scalar(T value, TF_DataType type) {
    TF_Tensor* tensor = TF_AllocateTensor(type, nullptr, 0, sizeof(T));
    std::memcpy(TF_TensorData(tensor), &value, sizeof(T));
    return tensor;
  }
  /// The first element; the tensor is deleted.
  template <typename T>
  static T Take(TF_Tensor* tensor) {
    T value{};
    if (tensor != nullptr) std::memcpy(&value, TF_TensorData(tensor), sizeof(T));
    TF_DeleteTensor(tensor);
    return value;
  }

 private:
  TF_Graph* graph_;
  TF_Session* session_ = nullptr;
  CStatus status_;
};
