// Actions run.*, trace.* and tensor.*.

#include <QJsonArray>

#include "app/action_args.h"
#include "app/action_groups.h"
#include "engine/io/npy.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"

namespace opscope::ui {
namespace {

// Calls `reply` when the run ends or pauses.
void replyWhenRunRests(Editor* editor, const ActionReply& reply) {
  auto* once = new QObject(editor);
  const auto answer = [once, editor, reply](ActionResult result) {
    once->deleteLater();
    once->disconnect();
    replySettled(editor, {}, std::move(result), reply);
  };
  QObject::connect(editor->run(), &RunController::finished, once,
                   [answer](const RunResult& result) { answer({result.status, {}}); });
  QObject::connect(editor->run(), &RunController::paused, once, [answer](const QString& node) {
    answer(ActionResult::ok({{QStringLiteral("at"), node}}));
  });
}

using RunStarter = std::function<Status(Editor&, const QJsonObject&)>;

// An action that starts or resumes a run and answers when the run rests.
ActionHandler running(Workbench* workbench, RunStarter starter) {
  return [workbench, starter = std::move(starter)](const QJsonObject& args, const ActionReply& reply) {
    Editor* editor = workbench->currentEditor();
    if (!editor) {
      reply(ActionResult::error(errors::FailedPrecondition("No document is open")));
      return;
    }
    if (!args.value(QLatin1String("wait")).toBool(true)) {
      reply({starter(*editor, args), {}});
      return;
    }
    // Connected first: a run of few ops may end before this function does.
    replyWhenRunRests(editor, reply);
    const Status status = starter(*editor, args);
    if (!status.ok()) reply(ActionResult::error(status));
  };
}

Status start(Editor& editor, const QJsonObject& args) {
  if (editor.run()->state() == RunState::kPaused && !args.contains(QLatin1String("fetch"))) {
    editor.run()->continueRun();
    return Status::OK();
  }
  if (editor.run()->isActive()) return errors::FailedPrecondition("A run is going on; stop it first");
  OS_ASSIGN_OR_RETURN(const QStringList fetch, stringList(args, "fetch"));
  editor.run()->start(fetch, std::max(1, args.value(QLatin1String("steps")).toInt(1)));
  return Status::OK();
}

// A run without a gate can't be taken over half-way.
Status requireResting(const Editor& editor) {
  if (editor.run()->state() != RunState::kRunning) return Status::OK();
  return errors::FailedPrecondition("A run is going on; pause it first (run.pause), or stop it");
}

Status step(Editor& editor, const QJsonObject& args) {
  OS_RETURN_IF_ERROR(requireResting(editor));
  const QString by = optionalString(args, "by", QStringLiteral("op"));
  if (by == QLatin1String("op")) editor.run()->step(StepBy::kOp);
  else if (by == QLatin1String("into")) editor.run()->step(StepBy::kInto);
  else if (by == QLatin1String("out")) editor.run()->step(StepBy::kOut);
  else if (by == QLatin1String("iteration")) editor.run()->step(StepBy::kIteration);
  else return errors::InvalidArgument("\"by\" is '", by.toStdString(), "'; expected op, into, out or iteration");
  return Status::OK();
}

Status requirePaused(const Editor& editor) {
  if (editor.run()->state() == RunState::kPaused) return Status::OK();
  return errors::FailedPrecondition("The run isn't paused");
}

Status runTo(Editor& editor, const QJsonObject& args) {
  OS_RETURN_IF_ERROR(requireResting(editor));
  QString node = optionalString(args, "node");
  if (node.isEmpty()) node = editor.document()->nameOf(editor.selection()->current());
  if (node.isEmpty()) return errors::FailedPrecondition("No node is selected");
  OS_ASSIGN_OR_RETURN(const NodeId id, findNode(*editor.document(), node));
  (void)id;
  editor.run()->runTo(node);
  return Status::OK();
}

Status initialise(Editor& editor, const QJsonObject&) {
  if (editor.run()->isActive()) return errors::FailedPrecondition("A run is going on; stop it first");
  editor.run()->initialise();
  return Status::OK();
}

ActionResult stop(Editor& editor, const QJsonObject&) {
  if (!editor.run()->isActive()) return ActionResult::error(errors::FailedPrecondition("Nothing is running"));
  editor.run()->stop();
  return ActionResult::ok();
}

ActionResult pause(Editor& editor, const QJsonObject&) {
  if (!editor.run()->isActive()) return ActionResult::error(errors::FailedPrecondition("Nothing is running"));
  editor.run()->pause();
  return ActionResult::ok();
}

void reset(Workbench* workbench, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  if (!editor) {
    reply(ActionResult::error(errors::FailedPrecondition("No document is open")));
    return;
  }
  auto* once = new QObject(editor);
  QObject::connect(editor->run(), &RunController::resetDone, once, [once, reply] {
    once->deleteLater();
    once->disconnect();
    reply(ActionResult::ok());
  });
  editor->run()->reset();
}

ActionResult stepBack(Editor& editor, const QJsonObject&) {
  if (editor.trace()->cursor().position() == 0) {
    return ActionResult::error(errors::FailedPrecondition("Nothing to step back to: the run is at its start"));
  }
  editor.trace()->stepBack();
  return ActionResult::ok();
}

ActionResult breakpoint(Editor& editor, const QJsonObject& args) {
  const QString when = optionalString(args, "when", QStringLiteral("always"));
  if (when != QLatin1String("always")) {
    return ActionResult::error(errors::Unimplemented("run.breakpoint when '", when.toStdString(), "'"));
  }
  QString node = optionalString(args, "node");
  bool enabled = args.value(QLatin1String("enabled")).toBool(true);
  if (node.isEmpty()) {  // F9 on the selection switches
    node = editor.document()->nameOf(editor.selection()->current());
    for (const Breakpoint& b : editor.document()->runConfig().breakpoints) {
      if (b.node == node.toStdString()) enabled = !b.enabled;
    }
  }
  OS_ASSIGN_OR_RESULT(id, findNode(*editor.document(), node));
  (void)id;
  return {editor.document()->setBreakpoint(node, enabled, when, optionalString(args, "expr")), {}};
}

ActionResult watch(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(tensor, requireString(args, "tensor"));
  OS_ASSIGN_OR_RESULT(output, findOutput(*editor.document(), tensor));
  (void)output;
  return {editor.document()->setWatched(tensor, args.value(QLatin1String("enabled")).toBool(true)), {}};
}

Status readConfig(const QJsonObject& args, SessionConfig* config) {
  const auto integer = [&](const char* key, int* out) {
    if (args.contains(QLatin1String(key))) *out = args.value(QLatin1String(key)).toInt(*out);
  };
  config->target = optionalString(args, "target", QString::fromStdString(config->target)).toStdString();
  config->allocator = optionalString(args, "allocator", QString::fromStdString(config->allocator)).toStdString();
  if (config->allocator != "cpu" && config->allocator != "bfc") {
    return errors::InvalidArgument("\"allocator\" is '", config->allocator, "'; expected cpu or bfc");
  }
  integer("inter_op", &config->inter_op);
  integer("intra_op", &config->intra_op);
  config->soft_placement = args.value(QLatin1String("soft_placement")).toBool(config->soft_placement);
  if (args.contains(QLatin1String("memory_limit"))) {
    const auto bytes = args.value(QLatin1String("memory_limit")).toInteger(-1);
    config->memory_limit_bytes = bytes < 0 ? std::nullopt : std::optional<int64_t>(bytes);
  }
  if (!args.contains(QLatin1String("devices"))) return Status::OK();
  config->devices.clear();
  const QJsonObject devices = args.value(QLatin1String("devices")).toObject();
  for (auto it = devices.begin(); it != devices.end(); ++it) config->devices[it.key().toStdString()] = it.value().toInt();
  for (const QString& part : args.value(QLatin1String("devices")).toString().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    const QStringList pair = part.split(QLatin1Char('='));
    config->devices[pair.first().toStdString()] = pair.size() > 1 ? pair[1].toInt() : 1;
  }
  return Status::OK();
}

ActionResult configure(Editor& editor, const QJsonObject& args) {
  RunConfig config = editor.document()->runConfig();
  const Status status = readConfig(args, &config.session);
  if (!status.ok()) return ActionResult::error(status);
  return {editor.document()->setRunConfig(config), {}};
}

ActionResult seek(Editor& editor, const QJsonObject& args) {
  if (!editor.trace()->hasTrace()) return ActionResult::error(errors::FailedPrecondition("There is no trace; run first"));
  if (args.contains(QLatin1String("event"))) editor.trace()->moveTo(args.value(QLatin1String("event")).toInteger());
  else editor.trace()->moveToTime(args.value(QLatin1String("ns")).toInteger());
  return ActionResult::ok();
}

ActionResult saveTrace(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(path, requireString(args, "path"));
  return {editor.trace()->save(path), {}};
}

void openTrace(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  const auto path = requireString(args, "path");
  if (!editor || !path.ok()) {
    reply(ActionResult::error(editor ? path.status() : errors::FailedPrecondition("No document is open")));
    return;
  }
  auto* once = new QObject(editor);
  const auto answer = [once, reply](const ActionResult& result) {
    once->deleteLater();
    once->disconnect();
    reply(result);
  };
  QObject::connect(editor->trace(), &TraceController::traceOpened, once, [answer] { answer(ActionResult::ok()); });
  QObject::connect(editor->trace(), &TraceController::openFailed, once,
                   [answer](const QString&, const Status& status) { answer(ActionResult::error(status)); });
  editor->trace()->open(*path);
}

// The value that an output had at the cursor.
StatusOr<Tensor> valueAtCursor(Editor& editor, const std::string& tensor) {
  const TensorId id = ParseTensorName(tensor);
  const TraceOutput* output = editor.trace()->cursor().OutputOf(id.node, id.index);
  if (!output) return errors::FailedPrecondition("'", tensor, "' was not computed at this moment of the run");
  if (output->dropped) return errors::ResourceExhausted("The value of '", tensor, "' was not kept: the budget was used up");
  if (!output->value.IsInitialized()) return errors::FailedPrecondition("'", tensor, "' has no value at this moment");
  return output->value;
}

ActionResult showTensor(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(name, requireString(args, "tensor"));
  OS_ASSIGN_OR_RESULT(value, valueAtCursor(editor, name.toStdString()));
  const QString path = optionalString(args, "path");
  if (path.isEmpty()) return ActionResult::ok({{QStringLiteral("text"), QString::fromStdString(value.DebugString(64))}});
  return {WriteNpy(path.toStdString(), value), {}};
}

ActionResult saveValues(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(path, requireString(args, "path"));
  std::vector<std::pair<std::string, Tensor>> values;
  editor.document()->graph().ForEachNode([&](NodeId, const Node& node) {
    for (int i = 0;; ++i) {
      const TraceOutput* output = editor.trace()->cursor().OutputOf(node.name(), i);
      if (!output) break;
      if (output->value.IsInitialized()) values.emplace_back(StrCat(node.name(), ":", i), output->value);
    }
  });
  return {WriteNpz(path.toStdString(), values), {}};
}

}  // namespace

void registerRunActions(ActionRegistry* actions, Workbench* workbench) {
  const QString run = QStringLiteral("Run");
  const QString debug = QStringLiteral("Debug");
  const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };
  const auto add = [&](const ActionSpec& spec, EditorHandler handler) {
    actions->add(spec, withEditor(workbench, std::move(handler)));
  };
  actions->add({.id = QStringLiteral("run.start"), .text = QStringLiteral("&Run"), .menu = run, .icon = QStringLiteral("run"),
                .shortcuts = {key("F5"), key("Ctrl+Return")}}, running(workbench, start));
  add({.id = QStringLiteral("run.stop"), .text = QStringLiteral("&Stop"), .menu = run, .icon = QStringLiteral("stop"),
       .shortcuts = {key("Shift+F5")}}, stop);
  actions->add({.id = QStringLiteral("run.init"), .text = QStringLiteral("&Initialise Variables"), .menu = run,
                .icon = QStringLiteral("initialise"), .shortcuts = {key("F6")}, .separatorBefore = true},
               running(workbench, initialise));
  actions->add({.id = QStringLiteral("run.reset"), .text = QStringLiteral("R&eset Session"), .menu = run,
                .icon = QStringLiteral("reset")},
               [workbench](const QJsonObject&, const ActionReply& reply) { reset(workbench, reply); });
  add({.id = QStringLiteral("run.configure")}, configure);
  actions->add({.id = QStringLiteral("run.step"), .text = QStringLiteral("Step &Op"), .menu = debug,
                .icon = QStringLiteral("step"), .shortcuts = {key("F10")}}, running(workbench, step));
  actions->addEntry({.id = QStringLiteral("run.step"), .text = QStringLiteral("Step &Into"), .menu = debug,
                     .icon = QStringLiteral("step_into"), .shortcuts = {key("F11")},
                     .args = {{QStringLiteral("by"), QStringLiteral("into")}}, .alias = QStringLiteral("run.step#into")});
  actions->addEntry({.id = QStringLiteral("run.step"), .text = QStringLiteral("Step O&ut"), .menu = debug,
                     .icon = QStringLiteral("step_out"), .shortcuts = {key("Shift+F11")},
                     .args = {{QStringLiteral("by"), QStringLiteral("out")}}, .alias = QStringLiteral("run.step#out")});
  add({.id = QStringLiteral("run.step_back"), .text = QStringLiteral("Step &Back"), .menu = debug,
       .icon = QStringLiteral("step_back"), .shortcuts = {key("Shift+F10")}}, stepBack);
  actions->add({.id = QStringLiteral("run.continue"), .text = QStringLiteral("&Continue"), .menu = debug,
                .icon = QStringLiteral("continue"), .separatorBefore = true},
               running(workbench, [](Editor& editor, const QJsonObject&) {
                 const Status status = requirePaused(editor);
                 if (status.ok()) editor.run()->continueRun();
                 return status;
               }));
  add({.id = QStringLiteral("run.pause"), .text = QStringLiteral("&Pause"), .menu = debug, .icon = QStringLiteral("pause")}, pause);
  actions->add({.id = QStringLiteral("run.to"), .text = QStringLiteral("Run &to Selection"), .menu = debug,
                .icon = QStringLiteral("run_to"), .shortcuts = {key("F8")}}, running(workbench, runTo));
  add({.id = QStringLiteral("run.breakpoint"), .text = QStringLiteral("Toggle &Breakpoint"), .menu = debug,
       .icon = QStringLiteral("breakpoint"), .shortcuts = {key("F9")}, .separatorBefore = true}, breakpoint);
  add({.id = QStringLiteral("run.watch")}, watch);
  add({.id = QStringLiteral("trace.seek")}, seek);
  add({.id = QStringLiteral("trace.save")}, saveTrace);
  add({.id = QStringLiteral("trace.values")}, saveValues);
  add({.id = QStringLiteral("tensor.show")}, showTensor);
  actions->add({.id = QStringLiteral("trace.open")}, [workbench](const QJsonObject& args, const ActionReply& reply) {
    openTrace(workbench, args, reply);
  });
}

}  // namespace opscope::ui
