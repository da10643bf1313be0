#include "tools/tfprof/tfprof_events.h"

#include <fmt/core.h>

#include "tools/timeline/ascii_json.h"

namespace stepscope::tfprof {
namespace {

constexpr int kShownHolders = 10;

}  // namespace

void ChromeEvents::Process(std::string_view name, int64_t pid) {
  first_.push_back(
      fmt::format(R"({{"args":{{"name":{}}},"name":"process_name","ph":"M","pid":{}}})",
                  QuoteAscii(name), pid));
}

void ChromeEvents::Complete(const Span& span, bool with_op) {
  const std::string name = QuoteAscii(span.name);
  const std::string op = with_op ? fmt::format(R"(,"op":{})", name) : "";
  first_.push_back(fmt::format(
      R"({{"args":{{"name":{}{}}},"cat":"Op","dur":{},"name":{},"ph":"X","pid":{},"tid":{},"ts":{}}})",
      name, op, span.micros, name, span.pid, span.tid, span.start));
}

void ChromeEvents::Flow(FlowEnd end, std::string_view name, int64_t time, int64_t pid, int64_t tid,
                        int64_t id) {
  second_.push_back(
      fmt::format(R"({{"cat":"DataFlow","id":{},"name":{},"ph":"{}","pid":{},"tid":{},"ts":{}}})",
                  id, QuoteAscii(name), end == FlowEnd::kFrom ? 's' : 't', pid, tid, time));
}

void ChromeEvents::Memory(int64_t pid, int64_t time, int64_t bytes,
                          const std::map<int64_t, std::vector<std::string_view>>& holders) {
  second_.push_back(fmt::format(
      R"({{"args":{{"Allocator Bytes in Use":{}}},"cat":"Memory","name":"Allocated Bytes","ph":"C","pid":{},"tid":0,"ts":{}}})",
      bytes, pid, time));
  std::vector<std::string> lines(kShownHolders, "N/A");
  int count = 0;
  for (auto it = holders.rbegin(); it != holders.rend(); ++it) {
    for (const std::string_view holder : it->second) {
      if (bytes < it->first || count >= kShownHolders) break;
      lines[static_cast<size_t>(count++)] =
          fmt::format("{:g} MB from {}", static_cast<double>(it->first) / 1e6, holder);
      bytes -= it->first;
    }
  }
  std::string args =
      fmt::format(R"("Not Displayed":"{:.2f} MB")", static_cast<double>(bytes) / 1e6);
  for (int i = 0; i < kShownHolders; ++i) {
    // The first line is there only when it has something to say.
    if (i == 0 && count == 0) continue;
    args +=
        fmt::format(R"(,"Top Allocation {:02}":{})", i, QuoteAscii(lines[static_cast<size_t>(i)]));
  }
  second_.push_back(fmt::format(
      R"({{"args":{{{}}},"cat":"Memory","name":"Top Allocations","ph":"C","pid":{},"tid":0,"ts":{}}})",
      args, pid + 1, time));
}

std::string ChromeEvents::Write() const {
  std::string out = "{\"traceEvents\":[";
  std::string_view separator;
  for (const auto* list : {&first_, &second_}) {
    for (const std::string& event : *list) {
      out += separator;
      out += event;
      separator = ",";
    }
  }
  return out + "]}\n";
}

}  // namespace stepscope::tfprof
