#include "serve/loaded_profile.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "present/report_json.h"
#include "read/chrome_json/event_text.h"
#include "read/open.h"
#include "serve/profile_files.h"

namespace stepscope {
namespace {

bool IsJson(Format format) {
  return format == Format::kKineto || format == Format::kOnnxRuntime ||
         format == Format::kTensorFlowTimeline || format == Format::kChrome;
}

// Traces of one job start at different moments; where all say when, they are laid side by side.
std::vector<int64_t> OffsetsOf(const std::vector<Trace>& traces) {
  std::vector<int64_t> offsets(traces.size(), 0);
  std::optional<int64_t> earliest;
  for (const Trace& trace : traces) {
    if (!trace.facts.start_unix_ns) return offsets;
    earliest = std::min(earliest.value_or(*trace.facts.start_unix_ns), *trace.facts.start_unix_ns);
  }
  // Traces of different days do not belong on one axis.
  constexpr int64_t kMostApart = int64_t{3600} * 1'000'000'000;
  std::vector<int64_t> apart;
  for (const Trace& trace : traces) apart.push_back(*trace.facts.start_unix_ns - *earliest);
  const bool together = std::ranges::all_of(apart, [](int64_t ns) { return ns < kMostApart; });
  return together ? apart : offsets;
}

}  // namespace

LoadedTrace::LoadedTrace(const Trace& trace, Report report, const GraphDef* graph, TaskPool& pool)
    : trace_(trace),
      report_(std::move(report)),
      timeline_(trace, FindIdleGaps(trace, report_), pool),
      graph_(graph != nullptr ? BuildOpGraph(*graph, trace) : OpGraph{}),
      line_of_(trace.tracks.size(), kNoRow) {
  for (uint32_t i = 0; i < timeline_.lines().size(); ++i) {
    const Line& line = timeline_.lines()[i];
    if (line.kind == LineKind::kTrack) line_of_[Index(line.track)] = i;
  }
  if (!IsJson(trace.facts.format) || trace.places.empty()) return;
  if (auto file = RandomAccess::Open(trace.path)) file_ = std::move(*file);
}

Result<std::shared_ptr<const SearchHits>> LoadedTrace::Search(const std::string& wanted,
                                                              SearchMode mode) const {
  const std::string key = (mode == SearchMode::kRegex ? "r" : "t") + wanted;
  {
    std::lock_guard lock(mutex_);
    if (hits_ != nullptr && searched_ == key) return hits_;
  }
  Result<SearchHits> found = SearchNames(trace_, wanted, mode);
  if (!found) return std::unexpected(found.error());
  auto hits = std::make_shared<const SearchHits>(std::move(*found));
  std::lock_guard lock(mutex_);
  searched_ = key;
  hits_ = hits;
  return hits;
}

Result<std::string> LoadedTrace::EventJson(uint32_t event) const {
  if (file_ == nullptr) {
    return Fail(ErrorCode::kUnsupported, trace_.path == "-"
                                             ? "Standard input cannot be read a second time."
                                             : "Single events of this format are not read again.");
  }
  Result<std::string> text = chrome_json::ReadEventText(*file_, trace_.places, event);
  if (!text) return text;
  return chrome_json::StrictJson(*text);
}

void LoadedTrace::PrepareFile(std::stop_token stop) const {
  if (file_ != nullptr) file_->Prepare(stop);
}

Result<std::shared_ptr<const LoadedProfile>> LoadedProfile::Load(
    const std::vector<std::string>& paths, const Progress& progress, TaskPool& pool) {
  Result<Profile> opened = OpenProfile(paths, {.run = {}, .progress = progress}, pool);
  if (!opened) return std::unexpected(opened.error());
  auto loaded = std::make_shared<LoadedProfile>();
  loaded->profile_ = std::move(*opened);
  const Profile& profile = loaded->profile_;
  progress(1, "analysing");
  std::optional<GraphDef> graph;
  if (const std::string file = GraphAmong(paths); !file.empty()) {
    Diagnostics ignored;
    if (Result<GraphDef> read = ReadGraphDef(file, ignored)) graph = std::move(*read);
  }
  std::vector<Reported> reported;
  for (size_t i = 0; i < profile.traces.size(); ++i) {
    const Trace& trace = profile.traces[i];
    loaded->traces_.push_back(std::make_unique<LoadedTrace>(
        trace, Analyze(trace, profile.diagnostics[i], {}, pool), graph ? &*graph : nullptr, pool));
    reported.push_back({&trace, &loaded->traces_.back()->report()});
  }
  WriteReportsJson(reported, loaded->report_json_);
  loaded->offsets_ = OffsetsOf(profile.traces);
  return loaded;
}

}  // namespace stepscope
