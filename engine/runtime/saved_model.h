#pragma once
// Brings the variables of a trained model to their values: restore op, init op and assets of MetaGraphs and SavedModels, as
// TensorFlow's loader runs them; and a session made of a SavedModel.

#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph_io.h"
#include "engine/proto/meta_graph.pb.h"
#include "engine/runtime/session.h"

namespace opscope {

/// What is to be run, in this order, before a model can be used. Empty names: nothing.
struct RestoreSteps {
  std::string filename_tensor;   ///< Fed with `prefix`.
  std::string restore_op;
  std::string prefix;            ///< Of the checkpoint, or its pattern.
  std::string init_op;
  Session::NamedTensors asset_feeds;

  std::vector<std::string> Targets() const;
};

/// Finds the restore op of a graph: that of its SaverDef, or that of a saver called "save". Neither: the steps have none.
RestoreSteps FindRestoreSteps(const LoadedGraph& loaded, const std::string& checkpoint);

/// Nodes that restore these variables by their own names, for graphs without a saver; `steps` is told of them.
Status AddRestoreNodes(const std::vector<std::string>& variables, GraphDef* graph, RestoreSteps* steps);

/// The files that the steps need, as SessionOptions::file_access wants them.
std::vector<std::string> FilesOf(const RestoreSteps& steps);

/// Runs the steps. Messages begin with the checkpoint's prefix where it is at fault.
Status RunRestoreSteps(const RestoreSteps& steps, const RunOptions& options, Session* session);

/// A SavedModel ready to be run.
struct SavedModelBundle {
  std::unique_ptr<Session> session;
  tensorflow::MetaGraphDef meta_graph;
};

/// Loads the MetaGraph of exactly these tags from a folder, and runs its restore and init ops. The session may touch the
/// model's own files besides those that `options` allows. NOT_FOUND when there is no SavedModel or no such MetaGraph, worded
/// as TensorFlow's.
StatusOr<SavedModelBundle> LoadSavedModel(const SessionOptions& options, const RunOptions& run_options,
                                          const std::string& export_dir, const std::vector<std::string>& tags);

}  // namespace opscope
