// The run, devices and allocators in state.dump.

#include <QJsonArray>
#include <QJsonDocument>

#include "app/editor.h"
#include "app/state_dump.h"
#include "engine/document/value_text.h"
#include "engine/trace/transfers.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"
#include "widgets/models/allocator_model.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

constexpr int64_t kMaxDumpedElements = 10'000;

QString stateName(RunState state) {
  switch (state) {
    case RunState::kRunning: return QStringLiteral("running");
    case RunState::kPaused: return QStringLiteral("paused");
    case RunState::kFailed: return QStringLiteral("failed");
    default: return QStringLiteral("idle");
  }
}

QJsonObject dumpTensor(const Tensor& tensor) {
  QJsonArray shape;
  for (const int64_t d : tensor.shape().dim_sizes()) shape.append(static_cast<qint64>(d));
  QJsonObject result{{QStringLiteral("dtype"), toQString(NumpyName(tensor.dtype()))}, {QStringLiteral("shape"), shape}};
  if (tensor.NumElements() <= kMaxDumpedElements) {
    const QByteArray json = "[" + QByteArray::fromStdString(TensorToText(tensor)) + "]";
    result[QStringLiteral("value")] = QJsonDocument::fromJson(json).array().at(0);
  }
  return result;
}

QJsonObject dumpError(const Status& status) {
  QJsonObject error{{QStringLiteral("code"), toQString(CodeName(status.code()))},
                    {QStringLiteral("message"), toQString(status.message())}};
  if (!status.nodes().empty()) error[QStringLiteral("node")] = toQString(status.nodes().front());
  return error;
}

QJsonArray dumpBreakpoints(const Editor& editor) {
  QJsonArray breakpoints;
  for (const Breakpoint& b : editor.document()->runConfig().breakpoints) {
    breakpoints.append(QJsonObject{{QStringLiteral("node"), toQString(b.node)},
                                   {QStringLiteral("when"), toQString(b.when)},
                                   {QStringLiteral("enabled"), b.enabled},
                                   {QStringLiteral("hits"), editor.run()->breakpointHits(toQString(b.node))}});
  }
  return breakpoints;
}

// Whether the trace's device name is this device.
qint64 opsOnDevice(const RunTrace& trace, const std::string& device) {
  qint64 ops = 0;
  for (size_t i = 0; i < trace.num_executions(); ++i) {
    const uint32_t name = trace.execution(i).device;
    if (name != NameTable::kNone && trace.name(name) == device) ++ops;
  }
  return ops;
}

QJsonArray dumpTransfers(const TraceCursor& cursor) {
  QJsonArray list;
  for (const TransferSum& sum : TransfersAt(cursor.trace(), cursor.position())) {
    list.append(QJsonObject{{QStringLiteral("node"), toQString(sum.node)},
                            {QStringLiteral("output"), sum.output},
                            {QStringLiteral("from"), toQString(sum.from)},
                            {QStringLiteral("to"), toQString(sum.to)},
                            {QStringLiteral("count"), static_cast<qint64>(sum.count)},
                            {QStringLiteral("bytes"), static_cast<qint64>(sum.bytes)}});
  }
  return list;
}

}  // namespace

QJsonObject dumpRun(const Editor& editor) {
  const RunController& run = *editor.run();
  const TraceCursor& cursor = editor.trace()->cursor();
  QJsonArray order;
  for (const std::string& node : cursor.trace().Order()) order.append(toQString(node));
  QJsonObject outputs;
  for (const auto& [name, tensor] : run.result().outputs) outputs[toQString(name)] = dumpTensor(tensor);
  QJsonArray watches;
  for (const std::string& watch : editor.document()->runConfig().watches) watches.append(toQString(watch));
  QJsonObject result{{QStringLiteral("state"), stateName(run.state())},
                     {QStringLiteral("at"), run.currentNode()},
                     {QStringLiteral("order"), order},
                     {QStringLiteral("event"), static_cast<qint64>(cursor.position())},
                     {QStringLiteral("events"), static_cast<qint64>(cursor.trace().num_events())},
                     {QStringLiteral("frame"), QString()},
                     {QStringLiteral("iteration"), 0},
                     {QStringLiteral("outputs"), outputs},
                     {QStringLiteral("breakpoints"), dumpBreakpoints(editor)},
                     {QStringLiteral("watches"), watches},
                     {QStringLiteral("transfers"), dumpTransfers(cursor)},
                     {QStringLiteral("stale"), run.isStale()}};
  if (!run.result().status.ok()) result[QStringLiteral("error")] = dumpError(run.result().status);
  return result;
}

QJsonArray dumpDevices(const Editor& editor) {
  QJsonArray devices;
  const auto allocators = editor.run()->allocatorSnapshots();
  for (const auto& device : editor.run()->devices()) {
    QJsonObject row{{QStringLiteral("name"), toQString(device.name())},
                    {QStringLiteral("type"), toQString(device.device_type())},
                    {QStringLiteral("memory_limit"), static_cast<qint64>(device.memory_limit())},
                    {QStringLiteral("bytes_in_use"), 0},
                    {QStringLiteral("peak_bytes"), 0},
                    {QStringLiteral("ops"), opsOnDevice(editor.trace()->trace(), device.name())}};
    for (const AllocatorSnapshot& allocator : allocators) {
      if (allocator.device != device.name()) continue;
      row[QStringLiteral("bytes_in_use")] = static_cast<qint64>(allocator.stats.bytes_in_use);
      row[QStringLiteral("peak_bytes")] = static_cast<qint64>(allocator.stats.peak_bytes_in_use);
    }
    devices.append(row);
  }
  return devices;
}

QJsonArray dumpAllocators(const Editor& editor) {
  QJsonArray result;
  for (const AllocatorSnapshot& allocator : snapshotsAt(editor.trace()->cursor(), editor.run()->allocatorSnapshots())) {
    QJsonArray chunks;
    for (const AllocatorChunk& chunk : allocator.chunks) {
      chunks.append(QJsonObject{{QStringLiteral("offset"), static_cast<qint64>(chunk.offset)},
                                {QStringLiteral("size"), static_cast<qint64>(chunk.size)},
                                {QStringLiteral("requested"), static_cast<qint64>(chunk.requested)},
                                {QStringLiteral("in_use"), chunk.in_use},
                                {QStringLiteral("node"), toQString(chunk.node)}});
    }
    result.append(QJsonObject{{QStringLiteral("device"), toQString(allocator.device)},
                              {QStringLiteral("name"), toQString(allocator.name)},
                              {QStringLiteral("bytes_in_use"), static_cast<qint64>(allocator.stats.bytes_in_use)},
                              {QStringLiteral("peak_bytes"), static_cast<qint64>(allocator.stats.peak_bytes_in_use)},
                              {QStringLiteral("num_allocs"), static_cast<qint64>(allocator.stats.num_allocs)},
                              {QStringLiteral("largest_free"), static_cast<qint64>(allocator.stats.largest_free_block_bytes)},
                              {QStringLiteral("fragmentation"), fragmentationOf(allocator)},
                              {QStringLiteral("chunks"), chunks}});
  }
  return result;
}

}  // namespace opscope::ui
