#include "advise/log_facts.h"

#include <array>
#include <charconv>
#include <cmath>

namespace stepscope {
namespace {

bool Contains(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

// The first whole number after a piece of text.
std::optional<int> NumberAfter(std::string_view line, std::string_view text) {
  const size_t at = line.find(text);
  if (at == std::string_view::npos) return std::nullopt;
  size_t digit = at + text.size();
  while (digit < line.size() && (line[digit] < '0' || line[digit] > '9')) ++digit;
  int value = 0;
  const auto [end, error] = std::from_chars(line.data() + digit, line.data() + line.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::string Shown(std::string_view line) {
  constexpr size_t kMost = 200;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return std::string(line.substr(0, kMost));
}

// The seconds of "Finished XLA compilation of jit(f) in 0.042 sec".
double CompileSeconds(std::string_view line) {
  constexpr std::string_view kIn = " in ";
  const size_t at = line.rfind(kIn);
  if (at == std::string_view::npos) return 0;
  double seconds = 0;
  const char* const first = line.data() + at + kIn.size();
  const auto [end, error] = std::from_chars(first, line.data() + line.size(), seconds);
  return error == std::errc{} && std::isfinite(seconds) && seconds > 0 ? seconds : 0;
}

void TakeInstructionSets(std::string_view line, LogFacts& facts) {
  for (const char* isa : {"SSE4.1", "SSE4.2", "AVX2", "AVX512F", "AVX512_VNNI", "AVX512_BF16",
                          "AVX_VNNI", "AMX_TILE", "FMA"}) {
    if (Contains(line, isa)) facts.unused_isa.emplace_back(isa);
  }
  if (facts.unused_isa.empty() && Contains(line, "AVX")) facts.unused_isa.emplace_back("AVX");
}

void TakeLine(std::string_view line, LogFacts& facts) {
  if (Contains(line, "libcupti") || Contains(line, "CUPTI_ERROR_") ||
      Contains(line, "CUPTI could not be loaded") || Contains(line, "GPU trace was not collected"))
    facts.cupti.push_back(Shown(line));
  if (Contains(line, "not compiled to use") || Contains(line, "wasn't compiled to use") ||
      Contains(line, "rebuild TensorFlow with the appropriate compiler flags") ||
      Contains(line, "To enable the following instructions")) {
    TakeInstructionSets(line, facts);
  }
  if (Contains(line, "This DataLoader will create")) {
    facts.workers_created = NumberAfter(line, "This DataLoader will create");
    facts.workers_suggested =
        NumberAfter(line, "suggested max number of worker in current system is");
  }
  if (Contains(line, "triggered tf.function retracing") ||
      Contains(line, "torch._dynamo hit config.") || Contains(line, "TRACING CACHE MISS") ||
      Contains(line, "recompile_limit")) {
    facts.retracing.push_back(Shown(line));
  }
  if (Contains(line, "Finished XLA compilation of ")) facts.compile_seconds += CompileSeconds(line);
  if (Contains(line, "jit-compiled from PTX") ||
      Contains(line, "is not compatible with the current PyTorch installation")) {
    facts.ptx_jit.push_back(Shown(line));
  }
  if (Contains(line, "find_unused_parameters=True was specified"))
    facts.unused_parameters.push_back(Shown(line));
  if (Contains(line, "Memcpy nodes are added to the graph")) {
    const size_t at = line.find(" Memcpy nodes");
    size_t first = at;
    while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
    int value = 0;
    if (std::from_chars(line.data() + first, line.data() + at, value).ec == std::errc{})
      facts.ort_memcpy_nodes = value;
  }
  if (Contains(line, "ran out of memory trying to allocate") ||
      Contains(line, "cudaMalloc retries")) {
    facts.allocation_retries.push_back(Shown(line));
  }
  if (Contains(line, "Tensor had NaN") || Contains(line, "Tensor had Inf") ||
      Contains(line, "contains NaN") || Contains(line, "returned nan values in its") ||
      Contains(line, "invalid value (nan)")) {
    facts.not_finite.push_back(Shown(line));
  }
}

}  // namespace

void AddLogFacts(std::string_view text, LogFacts& facts) {
  if (IsCompileLog(text)) {
    facts.compile.push_back(ReadCompileLog(text));
    return;
  }
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    TakeLine(text.substr(at, end - at), facts);
    at = end + 1;
  }
}

LogFacts ReadLogFacts(std::string_view text) {
  LogFacts facts;
  AddLogFacts(text, facts);
  return facts;
}

}  // namespace stepscope
