#include "engine/trace/chrome_trace.h"

#include <cstdio>
#include <map>
#include <string_view>

#include "engine/base/text.h"

namespace opscope {
namespace {

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  // Printable makes control characters and invalid UTF-8 visible, so that only quotes and backslashes are left.
  for (const char c : Printable(text, 4000)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string MicrosText(int64_t ns) {
  char text[48];
  std::snprintf(text, sizeof(text), "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

}  // namespace

std::string ToChromeTrace(const RunTrace& trace) {
  const std::vector<std::string> devices = trace.Devices();
  std::map<std::string, int, std::less<>> process;
  std::string json = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  bool first = true;
  const auto add = [&](const std::string& event) {
    if (!first) json += ",\n";
    first = false;
    json += event;
  };
  for (const std::string& device : devices) {
    const int pid = static_cast<int>(process.size()) + 1;
    process[device] = pid;
    add(StrCat("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":", pid, ",\"args\":{\"name\":", Quoted(device), "}}"));
  }
  const int64_t begin = trace.TimeRange().first;
  for (size_t i = 0; i < trace.num_executions(); ++i) {
    const TraceExecution& e = trace.execution(i);
    const std::string& op = trace.name(e.op);
    add(StrCat("{\"ph\":\"X\",\"cat\":\"Op\",\"name\":", Quoted(op.empty() ? trace.name(e.node) : op),
               ",\"pid\":", process[trace.name(e.device)], ",\"tid\":", e.thread, ",\"ts\":", MicrosText(e.start_ns - begin),
               ",\"dur\":", MicrosText(e.end_ns - e.start_ns), ",\"args\":{\"name\":", Quoted(trace.name(e.node)),
               ",\"op\":", Quoted(op), ",\"order\":", e.ordinal, ",\"iteration\":", e.iteration, "}}"));
  }
  return json + "\n]}\n";
}

}  // namespace opscope
