#include "read/compile_log/compile_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "read/chrome_json/json_value.h"
#include "read/chrome_json/text.h"
#include "read/compile_log/log_records.h"

namespace stepscope {
namespace {

using chrome_json::JsonWalk;
using compile_log::LogRecords;

constexpr size_t kLongestCause = 200;

int64_t NumberOf(std::string_view digits) {
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

DurationNs Micros(std::string_view digits) {
  int64_t ns = 0;
  if (__builtin_mul_overflow(NumberOf(digits), int64_t{1000}, &ns) || ns < 0) return {};
  return DurationNs{ns};
}

DurationNs Seconds(std::string_view digits) {
  double seconds = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  constexpr double kMost = 1e9;
  if (!(seconds > 0) || seconds > kMost) return {};
  return DurationNs{std::llround(seconds * 1e9)};
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

// "/a/b.py" and "a/b/c.py"; "s0/2" is arithmetic.
bool IsPath(std::string_view word) {
  const size_t slash = word.find_first_of("/\\");
  return slash != std::string_view::npos &&
         (slash == 0 || word.find_first_of("/\\", slash + 1) != std::string_view::npos);
}

// One line, not too long, with every path reduced to the name of its file.
std::string CauseText(std::string_view text) {
  constexpr std::string_view kEnds = " \t\r\n'\"(),;";
  std::string repaired, clean;
  chrome_json::AppendRepairedUtf8(text, repaired);
  text = repaired;
  for (size_t at = 0; at < text.size() && clean.size() < kLongestCause;) {
    const size_t end = std::min(text.find_first_of(kEnds, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    clean += IsPath(word) ? BaseName(word) : word;
    if (end < text.size()) clean += text[end] == '\n' || text[end] == '\r' ? ' ' : text[end];
    at = end + 1;
  }
  while (clean.starts_with(' ')) clean.erase(0, 1);
  while (clean.ends_with(' ')) clean.pop_back();
  return clean;
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

struct Break {
  CompileLog::Place place;
  std::string text;
};

// "Graph break in user code at FILE:LINE", then the reason, then the program's stack.
std::optional<Break> BreakIn(std::string_view payload) {
  constexpr std::string_view kHead = "Graph break in user code at ";
  const size_t head = payload.find(kHead);
  if (head == std::string_view::npos) return std::nullopt;
  payload.remove_prefix(head + kHead.size());
  const std::string_view where = TakeLine(payload);
  const size_t colon = where.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Break found;
  found.place = {std::string(BaseName(where.substr(0, colon))), NumberOf(where.substr(colon + 1))};
  std::string_view reason = TakeLine(payload);
  for (const std::string_view label : {"Graph Break Reason:", "Reason:"}) {
    const size_t at = reason.find(label);
    if (at != std::string_view::npos) reason.remove_prefix(at + label.size());
  }
  found.text = CauseText(reason);
  return found;
}

// A frame that goes on after a break is called after the place: torch_dynamo_resume_in_f_at_12.
std::optional<int64_t> LineOfResume(std::string_view function) {
  constexpr std::string_view kHead = "torch_dynamo_resume_in_", kAt = "_at_";
  const size_t at = function.rfind(kAt);
  if (!function.starts_with(kHead) || at == std::string_view::npos) return std::nullopt;
  return NumberOf(function.substr(at + kAt.size()));
}

class Reader {
 public:
  CompileLog Read(std::string_view text) {
    LogRecords records(text);
    while (records.Next()) {
      ++log_.records;
      if (chrome_json::ValueLength(records.json()) == std::string_view::npos) {
        ++log_.damaged;
      } else {
        ReadRecord(records.json(), records.payload());
      }
    }
    log_.damaged += records.damaged();
    Finish();
    return std::move(log_);
  }

 private:
  using CauseKey = std::tuple<std::string, std::string, int64_t>;

  void ReadRecord(std::string_view json, std::string_view payload) {
    std::string_view metrics, artifact, frame, compile_id, autograd;
    for (JsonWalk walk(json); walk.Next();) {
      if (walk.Is("compilation_metrics")) metrics = walk.value();
      if (walk.Is("artifact")) artifact = walk.value();
      if (walk.Is("frame_id")) frame = walk.scalar();
      if (walk.Is("frame_compile_id")) compile_id = walk.scalar();
      if (walk.Is("compiled_autograd_id") && walk.scalar() != "null") autograd = walk.scalar();
    }
    std::string id = fmt::format("{}/{}", frame, compile_id);
    if (!autograd.empty()) id = fmt::format("!{}/{}", autograd, id);
    if (!metrics.empty()) ReadMetrics(metrics, id, NumberOf(compile_id));
    if (!artifact.empty()) ReadArtifact(artifact, id, payload);
  }

  void ReadMetrics(std::string_view json, const std::string& id, int64_t again) {
    CompileLog::Compilation one;
    one.id = id;
    one.again = again;
    std::vector<std::string> restarts;
    for (JsonWalk walk(json); walk.Next();) {
      const std::string_view value = walk.scalar();
      if (value == "null") continue;
      if (walk.Is("co_name")) one.function = walk.String();
      if (walk.Is("co_filename")) one.place.file = BaseName(walk.String());
      if (walk.Is("co_firstlineno")) one.place.line = NumberOf(value);
      if (walk.Is("graph_op_count")) one.ops = NumberOf(value);
      if (walk.Is("fail_reason")) one.failure = CauseText(walk.String());
      if (walk.Is("dynamo_cumulative_compile_time_us")) one.time = Micros(value);
      if (walk.Is("aot_autograd_cumulative_compile_time_us")) one.autograd = Micros(value);
      if (walk.Is("inductor_cumulative_compile_time_us")) one.inductor = Micros(value);
      if (walk.Is("inductor_code_gen_cumulative_compile_time_us")) {
        one.code_generation = Micros(value);
      }
      // Until PyTorch 2.5.
      if (walk.Is("entire_frame_compile_time_s") && one.time.ns == 0) one.time = Seconds(value);
      if (walk.Is("inductor_compile_time_s") && one.inductor.ns == 0) one.inductor = Seconds(value);
      if (walk.Is("code_gen_time_s") && one.code_generation.ns == 0) {
        one.code_generation = Seconds(value);
      }
      if (walk.Is("restart_reasons")) {
        for (JsonWalk item(walk.value()); item.Next();)
          restarts.push_back(CauseText(item.String()));
      }
    }
    if (!restarts.empty()) restarts_[one.function] = restarts.back();
    log_.compilations.push_back(std::move(one));
  }

  void ReadArtifact(std::string_view json, const std::string& id, std::string_view payload) {
    std::string name;
    for (JsonWalk walk(json); walk.Next();) {
      if (walk.Is("name")) name = walk.String();
    }
    if (name == "fx_graph_cache_hit") ++log_.cache_hits;
    if (name == "fx_graph_cache_miss") ++log_.cache_misses;
    if (name == "fx_graph_cache_bypass") ++log_.cache_bypasses;
    if (name == "dynamo_graph_break_reason") {
      if (std::optional<Break> found = BreakIn(payload)) {
        ++Of(breaks_, found->text, "", found->place).count;
      }
    }
    if (name == "recompile_reasons" || name == "recompile_reason") {
      reasons_[id] = payload.starts_with('[') ? FirstItem(payload) : CauseText(payload);
    }
    if (name.starts_with("cudagraph_skip_reason")) {
      for (JsonWalk item(payload); item.Next();) {
        ++Of(skips_, CauseText(item.String()), "", {}).count;
      }
    }
  }

  // Each item names the compilation whose guard failed, "0/1: ", and the guard.
  static std::string FirstItem(std::string_view list) {
    JsonWalk walk(list);
    if (!walk.Next()) return {};
    const std::string item = walk.String();
    const size_t border = item.find(": ");
    const bool numbered =
        border != std::string::npos && item.find_first_not_of("0123456789/!_") == border;
    return CauseText(numbered ? std::string_view(item).substr(border + 2) : item);
  }

  static CompileLog::Cause& Of(std::map<CauseKey, CompileLog::Cause>& causes,
                               const std::string& text, const std::string& function,
                               const CompileLog::Place& place) {
    CompileLog::Cause& cause = causes[{text, place.file + '\n' + function, place.line}];
    cause.text = text;
    cause.function = function;
    cause.place = place;
    return cause;
  }

  void Finish() {
    const bool told = !breaks_.empty();
    for (size_t i = 0; i < log_.compilations.size(); ++i) {
      const CompileLog::Compilation& one = log_.compilations[i];
      if (one.again > 0) {
        const auto reason = reasons_.find(one.id);
        const std::string text = reason == reasons_.end() ? std::string() : reason->second;
        CompileLog::Cause& cause = Of(recompiles_, text, one.function, one.place);
        ++cause.count;
        cause.time += one.time;
      }
      // Logs without reasons still show where frames had to go on. The compilation before it is
      // that of the part that ended there.
      const std::optional<int64_t> line = LineOfResume(one.function);
      if (line && !told && one.again == 0 && i > 0) {
        const auto restart = restarts_.find(log_.compilations[i - 1].function);
        const std::string text = restart == restarts_.end() ? std::string() : restart->second;
        ++Of(breaks_, text, "", {one.place.file, *line}).count;
      }
    }
    log_.graph_breaks = Sorted(breaks_);
    log_.recompiles = Sorted(recompiles_);
    log_.cudagraph_skips = Sorted(skips_);
  }

  static std::vector<CompileLog::Cause> Sorted(std::map<CauseKey, CompileLog::Cause>& causes) {
    std::vector<CompileLog::Cause> all;
    for (auto& [key, cause] : causes) all.push_back(std::move(cause));
    std::ranges::stable_sort(all, [](const CompileLog::Cause& a, const CompileLog::Cause& b) {
      return std::tie(a.time.ns, a.count) > std::tie(b.time.ns, b.count);
    });
    return all;
  }

  CompileLog log_;
  std::map<CauseKey, CompileLog::Cause> breaks_, recompiles_, skips_;
  std::map<std::string, std::string> reasons_;   // by compile id
  std::map<std::string, std::string> restarts_;  // by function
};

}  // namespace

DurationNs CompileLog::total() const {
  DurationNs sum;
  for (const Compilation& one : compilations) sum += one.time;
  return sum;
}

bool IsCompileLog(std::string_view head) {
  return !compile_log::JsonOfLine(head.substr(0, head.find('\n'))).empty();
}

CompileLog ReadCompileLog(std::string_view text) { return Reader().Read(text); }

}  // namespace stepscope
