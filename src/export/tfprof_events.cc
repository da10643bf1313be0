#include "export/tfprof_events.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace stepscope::tfprof {
namespace {

constexpr int kShownHolders = 10;

// One UTF-8 character at the front of the text; takes a byte that is none for itself.
uint32_t TakeCharacter(std::string_view& text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const size_t size = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  uint32_t code = size == 1 ? byte : byte & (0xffu >> (size + 1));
  if (size > text.size()) {
    code = 0xfffd;
    text.remove_prefix(1);
    return code;
  }
  for (size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  text.remove_prefix(size);
  return code;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const uint32_t c = TakeCharacter(text);
    constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    const size_t escape = c < 0x80 ? kEscaped.find(static_cast<char>(c)) : std::string_view::npos;
    if (escape != std::string_view::npos) {
      out += '\\';
      out += kLetters[escape];
    } else if (c >= 0x20 && c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x10000) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((c - 0x10000) >> 10),
                         0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  }
  return out + '"';
}

}  // namespace

void ChromeEvents::Process(std::string_view name, int64_t pid) {
  first_.push_back(fmt::format(
      R"({{"args":{{"name":{}}},"name":"process_name","ph":"M","pid":{}}})", Quoted(name), pid));
}

void ChromeEvents::Complete(const Span& span, bool with_op) {
  const std::string name = Quoted(span.name);
  const std::string op = with_op ? fmt::format(R"(,"op":{})", name) : "";
  first_.push_back(fmt::format(
      R"({{"args":{{"name":{}{}}},"cat":"Op","dur":{},"name":{},"ph":"X","pid":{},"tid":{},"ts":{}}})",
      name, op, span.micros, name, span.pid, span.tid, span.start));
}

void ChromeEvents::Flow(FlowEnd end, std::string_view name, int64_t time, int64_t pid, int64_t tid,
                        int64_t id) {
  second_.push_back(
      fmt::format(R"({{"cat":"DataFlow","id":{},"name":{},"ph":"{}","pid":{},"tid":{},"ts":{}}})",
                  id, Quoted(name), end == FlowEnd::kFrom ? 's' : 't', pid, tid, time));
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
    args += fmt::format(R"(,"Top Allocation {:02}":{})", i, Quoted(lines[static_cast<size_t>(i)]));
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
