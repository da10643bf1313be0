#include "read/nsys/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stepscope::nsys {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view MemoryName(int64_t kind) {
  constexpr std::array<std::string_view, 8> kNames = {"Pageable",       "Pinned",  "Device",
                                                      "Array",          "Managed", "Device Static",
                                                      "Managed Static", "Unknown"};
  return kind >= 0 && kind < static_cast<int64_t>(kNames.size()) ? kNames[static_cast<size_t>(kind)]
                                                                 : "Unknown";
}

}  // namespace

std::string_view PlainCallName(std::string_view name) {
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  const size_t version = name.rfind("_v");
  if (version == std::string_view::npos || version + 2 == name.size()) return name;
  const std::string_view digits = name.substr(version + 2);
  // cuMemAlloc_v2 is what the driver calls it; four digits and more are the version of CUDA.
  const bool of_cuda = digits.size() >= 4 && std::ranges::all_of(digits, IsDigit);
  return of_cuda ? name.substr(0, version) : name;
}

std::string CopyName(int64_t copy_kind, int64_t source, int64_t destination) {
  constexpr std::array<std::string_view, 14> kWays = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                      "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                      "PtoP",    "HtoD", "DtoH", "DtoD"};
  constexpr int64_t kFirstUnified = 11;
  const bool known = copy_kind >= 0 && copy_kind < static_cast<int64_t>(kWays.size());
  const std::string_view way = known ? kWays[static_cast<size_t>(copy_kind)] : kWays[0];
  if (known && copy_kind >= kFirstUnified) return fmt::format("Memcpy {} (Unified Memory)", way);
  return fmt::format("Memcpy {} ({} -> {})", way, MemoryName(source), MemoryName(destination));
}

std::string MemsetName(int64_t memory_kind) {
  return fmt::format("Memset ({})", MemoryName(memory_kind));
}

std::string_view SyncName(int64_t sync_type) {
  constexpr std::array<std::string_view, 5> kNames = {"Synchronize", "Event Synchronize",
                                                      "Stream Wait Event", "Stream Synchronize",
                                                      "Context Synchronize"};
  return sync_type > 0 && sync_type < static_cast<int64_t>(kNames.size())
             ? kNames[static_cast<size_t>(sync_type)]
             : kNames[0];
}

Overhead OverheadOf(int64_t overhead_type) {
  switch (overhead_type) {
    case 2:
      return {"Driver JIT compiler", Kind::kCompile};
    case 3:
      return {"Buffer Flush", Kind::kOverhead};
    case 4:
      return {"Instrumentation", Kind::kOverhead};
    case 5:
      return {"Resource", Kind::kOverhead};
    case 6:
      return {"Runtime Triggered Module Loading", Kind::kCompile};
    case 7:
      return {"Lazy Function Loading", Kind::kCompile};
    case 8:
      // The queue of the GPU takes no more: the launch waits until the GPU has worked some off.
      return {"Command Buffer Full", Kind::kSync};
    default:
      return {"Profiler overhead", Kind::kOverhead};
  }
}

std::string WithoutPaths(std::string_view text) {
  constexpr std::string_view kEnds = " \t\r\n'\"(),;";
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(kEnds, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t slash = word.find_first_of("/\\");
    const bool path = slash != std::string_view::npos &&
                      (slash == 0 || word.find_first_of("/\\", slash + 1) != word.npos);
    clean += path ? std::string_view("(path)") : word;
    if (end < text.size()) clean += text[end] == '\n' || text[end] == '\r' ? ' ' : text[end];
    at = end + 1;
  }
  return clean;
}

}  // namespace stepscope::nsys
