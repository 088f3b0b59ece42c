// `opscope-cli run FILE`: feeds, runs, fetches.

#include <CLI/CLI.hpp>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <unordered_map>

#include "app/cli/command.h"
#include "app/cli/run_feeds.h"
#include "app/cli/run_recorder.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/io/json_tensor.h"
#include "engine/io/npy.h"
#include "engine/runtime/needed_graph.h"
#include "engine/runtime/saved_model.h"
#include "engine/runtime/step_gate.h"
#include "engine/trace/chrome_trace.h"
#include "engine/trace/run_trace_builder.h"

namespace opscope::cli {
namespace {

/// Elements of an output that are printed without --json.
constexpr int64_t kMaxPrinted = 1000;

struct TrainTarget {
  std::string node;
  int64_t steps = 0;
};

class Runner {
 public:
  explicit Runner(const RunArguments& arguments)
      : arguments_(arguments), recorder_(!arguments.values.empty(), arguments.break_on_nan) {}

  Status Run() {
    OS_RETURN_IF_ERROR(CheckArguments());
    OS_RETURN_IF_ERROR(Load());
    OS_RETURN_IF_ERROR(MakeSession());
    if (arguments_.init && !initializers_.empty()) OS_RETURN_IF_ERROR(AtFile(session_->Run({}, {}, initializers_, nullptr)));
    OS_RETURN_IF_ERROR(AtFile(RunRestoreSteps(restore_, StepOptions(), session_.get())));
    for (const TrainTarget& train : train_) {
      for (int64_t i = 0; i < train.steps; ++i) OS_RETURN_IF_ERROR(AtFile(RunTrainStep(train.node)));
    }
    for (int64_t i = 0; i < arguments_.repeat; ++i) OS_RETURN_IF_ERROR(AtFile(RunStep(i + 1 == arguments_.repeat)));
    OS_RETURN_IF_ERROR(WriteFiles());
    if (arguments_.json) {
      std::cout << Report().ToString() << "\n";
    } else {
      Print();
    }
    return Status::OK();
  }

 private:
  Status AtFile(const Status& status) const { return status.ok() ? status : status.Prepend(arguments_.file + ": "); }

  Status CheckArguments() {
    if (!arguments_.events.empty()) return errors::Unimplemented("--events: event files are not written yet");
    for (const std::string& text : arguments_.train) {
      const size_t equals = text.rfind('=');
      TrainTarget train;
      if (equals == std::string::npos || equals == 0 ||
          !ParseInt64(std::string_view(text).substr(equals + 1), &train.steps) || train.steps < 0) {
        return UsageError(StrCat("--train ", text, ": should be NODE=K"));
      }
      train.node = text.substr(0, equals);
      train_.push_back(std::move(train));
    }
    return Status::OK();
  }

  Status Load() {
    LoadOptions options;
    if (!arguments_.tags.empty()) options.tags = Split(arguments_.tags, ',');
    OS_ASSIGN_OR_RETURN(loaded_, LoadGraph(arguments_.file, options));
    OS_RETURN_IF_ERROR(CheckCheckpoint());
    OS_ASSIGN_OR_RETURN(plan_, MakeRunPlan(arguments_, loaded_));
    // What is fed is its own value.
    for (size_t i = 0; i < plan_.fetches.size(); ++i) {
      const bool is_fed = FedValue(plan_.fetches[i]) != nullptr;
      if (!is_fed) run_fetches_.push_back(plan_.fetches[i]);
    }
    if (arguments_.init) initializers_ = VariableInitializers(loaded_.graph);
    return Status::OK();
  }

  const Tensor* FedValue(const std::string& fetch) const {
    const TensorId wanted = ParseTensorName(fetch);
    for (const auto& [name, tensor] : plan_.feeds) {
      const TensorId id = ParseTensorName(name);
      if (id.node == wanted.node && id.index == wanted.index) return &tensor;
    }
    return nullptr;
  }

  Status MakeSession() {
    OS_ASSIGN_OR_RETURN(SessionOptions options, MakeSessionOptions(arguments_.session));
    std::vector<FedTensor> fed;
    for (const auto& [name, tensor] : plan_.feeds) fed.emplace_back(name, tensor.dtype());
    std::vector<std::string> targets = plan_.targets;
    for (const TrainTarget& train : train_) targets.push_back(train.node);
    targets.insert(targets.end(), initializers_.begin(), initializers_.end());
    graph_ = NeededGraphDef(loaded_.graph, fed, run_fetches_, targets);
    OS_RETURN_IF_ERROR(PlanRestoring());
    for (const std::string& file : FilesOf(restore_)) options.file_access.push_back(file);
    OS_ASSIGN_OR_RETURN(session_, NewSession(options));
    return AtFile(session_->Create(graph_));
  }

  // A run that reads no variable needs no checkpoint: then none is read.
  Status PlanRestoring() {
    const std::vector<std::string> variables = VariableNodes(graph_);
    restore_ = FindRestoreSteps(loaded_, arguments_.checkpoint);
    if (variables.empty() && restore_.init_op.empty()) restore_.restore_op.clear();
    if (restore_.restore_op.empty() && !restore_.prefix.empty()) {
      OS_RETURN_IF_ERROR(AtFile(AddRestoreNodes(variables, &graph_, &restore_)));
    }
    // What the steps need stands in the graph as it is, not as what is fed.
    std::unordered_map<std::string, int> places;
    for (int i = 0; i < graph_.node_size(); ++i) places.emplace(graph_.node(i).name(), i);
    std::vector<NodeDef> more;
    std::vector<std::string> steps = restore_.Targets();
    for (const auto& [name, path] : restore_.asset_feeds) steps.emplace_back(ParseTensorName(name).node);
    GraphDef needed = NeededGraphDef(loaded_.graph, {}, {}, steps);
    for (NodeDef& node : *needed.mutable_node()) {
      const auto found = places.find(node.name());
      if (found == places.end()) {
        more.push_back(std::move(node));
      } else {
        *graph_.mutable_node(found->second) = std::move(node);
      }
    }
    for (NodeDef& node : more) *graph_.add_node() = std::move(node);
    return Status::OK();
  }

  // A prefix that nothing lies at is a slip of the pen, whether or not the run needs it. Patterns are not looked up.
  Status CheckCheckpoint() const {
    const std::string& prefix = arguments_.checkpoint;
    if (prefix.empty() || prefix.find_first_of("?*") != std::string::npos) return Status::OK();
    if (FileExists(prefix) || FileExists(prefix + ".index")) return Status::OK();
    return errors::NotFound(prefix, ": no checkpoint has this prefix");
  }

  RunOptions StepOptions() const {
    RunOptions options;
    if (arguments_.timeout_seconds > 0) {
      options.set_timeout_in_ms(static_cast<int64_t>(std::ceil(std::min(arguments_.timeout_seconds, 1e9) * 1000)));
    }
    return options;
  }

  Status RunTrainStep(const std::string& node) {
    return session_->Run(StepOptions(), plan_.feeds, {}, {node}, nullptr, nullptr, RunHooks());
  }

  Status RunStep(bool is_last) {
    if (run_fetches_.empty() && plan_.targets.empty()) return Status::OK();
    RunOptions options = StepOptions();
    const bool wants_metadata = is_last && (!arguments_.run_metadata.empty() || !arguments_.timeline.empty());
    if (wants_metadata) {
      options.set_trace_level(RunOptions::FULL_TRACE);
      options.set_output_partition_graphs(true);
    }
    RunHooks hooks;
    // Without a listener nodes take no clock readings: only the last step is looked at, unless every step has to be.
    if (arguments_.break_on_nan || (is_last && (arguments_.json || !arguments_.values.empty()))) {
      recorder_.Clear();
      hooks.observer = &recorder_;
    }
    StepGate gate;
    if (arguments_.break_on_nan) {
      // One node at a time: the first bad value is the same in every run.
      gate.Continue();
      hooks.gate = &gate;
      hooks.cancellation = recorder_.stop_token();
    }
    const auto begin = std::chrono::steady_clock::now();
    const Status status = session_->Run(options, plan_.feeds, run_fetches_, plan_.targets, &fetched_,
                                        wants_metadata ? &metadata_ : nullptr, hooks);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (!recorder_.bad().ok()) return recorder_.bad();
    OS_RETURN_IF_ERROR(status);
    wall_us_.push_back(took.count());
    return Status::OK();
  }

  // The fetched tensors by their full names, in the order of the fetches; each once.
  NamedTensorList Outputs() const {
    NamedTensorList outputs;
    size_t next = 0;
    for (const std::string& fetch : plan_.fetches) {
      const Tensor* fed = FedValue(fetch);
      const Tensor& value = fed ? *fed : fetched_[next++];
      const TensorId id = ParseTensorName(fetch);
      const std::string name = StrCat(id.node, ":", id.index);
      const bool is_known = std::any_of(outputs.begin(), outputs.end(), [&](const auto& o) { return o.first == name; });
      if (!is_known) outputs.emplace_back(name, value);
    }
    return outputs;
  }

  Status WriteFiles() const {
    if (!arguments_.out.empty()) OS_RETURN_IF_ERROR(WriteNpz(arguments_.out, Outputs()));
    if (!arguments_.values.empty()) {
      NamedTensorList values;
      for (const auto& [name, value] : recorder_.values()) {
        if (value.dtype() != DT_RESOURCE && value.dtype() != DT_VARIANT) values.emplace_back(name, value);
      }
      OS_RETURN_IF_ERROR(WriteNpz(arguments_.values, values));
    }
    if (!arguments_.run_metadata.empty()) OS_RETURN_IF_ERROR(WriteMetadata());
    if (arguments_.timeline.empty()) return Status::OK();
    OS_ASSIGN_OR_RETURN(const auto trace, RunTraceBuilder::FromRunMetadata(metadata_));
    return WriteFileAtomic(arguments_.timeline, ToChromeTrace(*trace));
  }

  Status WriteMetadata() const {
    std::string bytes;
    const bool done = arguments_.run_metadata.ends_with(".pbtxt")
                          ? google::protobuf::TextFormat::PrintToString(metadata_, &bytes)
                          : metadata_.SerializeToString(&bytes);
    if (!done) return errors::ResourceExhausted(arguments_.run_metadata, ": the RunMetadata is too large");
    return WriteFileAtomic(arguments_.run_metadata, bytes);
  }

  JsonValue Report() {
    JsonValue::Object outputs, placement, peaks;
    for (const auto& [name, value] : Outputs()) outputs.emplace_back(name, TensorToJson(value));
    std::vector<double> wall = wall_us_;
    std::sort(wall.begin(), wall.end());
    const auto quantile = [&](double q) {
      return wall.empty() ? 0.0 : wall[static_cast<size_t>(std::ceil(q * static_cast<double>(wall.size()))) - 1];
    };
    JsonValue::Array order;
    for (const std::string& node : recorder_.order()) order.emplace_back(node);
    std::vector<std::pair<std::string, std::string>> devices;
    if (session_->Placement(&devices).ok()) {
      for (const auto& [node, device] : devices) placement.emplace_back(node, device);
    }
    for (const AllocatorSnapshot& snapshot : session_->AllocatorSnapshots()) {
      peaks.emplace_back(snapshot.device, snapshot.stats.peak_bytes_in_use);
    }
    return JsonValue::Object{
        {"outputs", std::move(outputs)},
        {"steps", arguments_.repeat},
        {"wall_us", JsonValue::Object{{"min", wall.empty() ? 0.0 : wall.front()}, {"median", quantile(0.5)}, {"p90", quantile(0.9)}}},
        {"order", std::move(order)},
        {"placement", std::move(placement)},
        {"peak_bytes", std::move(peaks)}};
  }

  void Print() const {
    for (const auto& [name, value] : Outputs()) {
      std::cout << Printable(name) << "  " << NumpyName(value.dtype()) << " " << value.shape().DebugString() << "  ";
      if (value.NumElements() <= kMaxPrinted) {
        std::cout << TensorValueToJson(value).ToString();
      } else {
        std::cout << Printable(value.DebugString(8));
      }
      std::cout << "\n";
    }
  }

  const RunArguments& arguments_;
  RunRecorder recorder_;
  LoadedGraph loaded_;
  RunPlan plan_;
  std::vector<std::string> run_fetches_, initializers_;
  std::vector<TrainTarget> train_;
  RestoreSteps restore_;
  GraphDef graph_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> fetched_;
  std::vector<double> wall_us_;
  RunMetadata metadata_;
};

}  // namespace

CommandFunction SetUpRun(CLI::App* app) {
  const auto arguments = std::make_shared<RunArguments>();
  AddRunOptions(app, arguments.get());
  return [arguments] { return Runner(*arguments).Run(); };
}

}  // namespace opscope::cli
