// `opscope-cli place FILE`: which device each node would run on, and why.

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/cli/command.h"
#include "app/cli/run_arguments.h"
#include "engine/base/text.h"
#include "engine/graph/graph_io.h"
#include "engine/io/json.h"
#include "engine/runtime/device_factory.h"
#include "engine/runtime/placer.h"

namespace opscope::cli {
namespace {

struct Arguments {
  std::string file;
  SessionArguments session;
  bool json = false;
};

// The devices that could have been chosen: those that fit what the node asks for, or all when none does.
JsonValue Candidates(const DeviceMgr& devices, const std::string& requested) {
  ParsedDeviceName request;
  std::vector<Device*> found;
  if (ParsedDeviceName::Parse(requested, &request)) found = devices.Matching(request);
  if (found.empty()) found = devices.ListDevices();
  JsonValue::Array names;
  for (const Device* device : found) names.emplace_back(device->name());
  return names;
}

Status Place(const Arguments& arguments) {
  OS_ASSIGN_OR_RETURN(const LoadedGraph loaded, LoadGraph(arguments.file));
  OS_ASSIGN_OR_RETURN(const SessionOptions options, MakeSessionOptions(arguments.session));
  std::vector<std::unique_ptr<Device>> made;
  OS_RETURN_IF_ERROR(DeviceFactory::AddDevices(options, "/job:localhost/replica:0/task:0", &made));
  const DeviceMgr devices(std::move(made));
  const auto placed = PlaceGraph(loaded.graph, devices, PlacerOptions{arguments.session.soft_placement});
  if (!placed.ok()) return placed.status().Prepend(arguments.file + ": ");
  JsonValue::Array list;
  loaded.graph.ForEachNode([&](NodeId id, const Node& node) {
    const PlacedNode& place = (*placed)[id.index()];
    if (arguments.json) {
      list.push_back(JsonValue::Object{{"node", node.name()},
                                       {"requested", node.def.device()},
                                       {"assigned", place.device->name()},
                                       {"rule", PlacementRuleName(place.rule)},
                                       {"candidates", Candidates(devices, node.def.device())}});
    } else {
      std::cout << Printable(node.name()) << "  " << place.device->name() << "  " << PlacementRuleName(place.rule) << "\n";
    }
  });
  if (arguments.json) std::cout << JsonValue(std::move(list)).ToString() << "\n";
  return Status::OK();
}

}  // namespace

CommandFunction SetUpPlace(CLI::App* app) {
  const auto arguments = std::make_shared<Arguments>();
  app->add_option("FILE", arguments->file, "Graph, MetaGraph, SavedModel, event file or document")->required();
  AddSessionOptions(app, &arguments->session, false);
  app->add_flag("--soft-placement", arguments->session.soft_placement, "Use another device where one isn't there");
  app->add_flag("--json", arguments->json, "Print one JSON document");
  return [arguments] { return Place(*arguments); };
}

}  // namespace opscope::cli
