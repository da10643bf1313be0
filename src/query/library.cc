#include "query/library.h"

#include <algorithm>
#include <array>

#include "base/embed.h"

STEPSCOPE_EMBED(stepscope_sql_busy_streams, STEPSCOPE_LIBRARY_DIR "/busy-streams.sql");
STEPSCOPE_EMBED(stepscope_sql_collectives, STEPSCOPE_LIBRARY_DIR "/collectives.sql");
STEPSCOPE_EMBED(stepscope_sql_copies, STEPSCOPE_LIBRARY_DIR "/copies.sql");
STEPSCOPE_EMBED(stepscope_sql_gaps_longer_than, STEPSCOPE_LIBRARY_DIR "/gaps-longer-than.sql");
STEPSCOPE_EMBED(stepscope_sql_idle_by_cause, STEPSCOPE_LIBRARY_DIR "/idle-by-cause.sql");
STEPSCOPE_EMBED(stepscope_sql_launch_queue, STEPSCOPE_LIBRARY_DIR "/launch-queue.sql");
STEPSCOPE_EMBED(stepscope_sql_memory_at_peak, STEPSCOPE_LIBRARY_DIR "/memory-at-peak.sql");
STEPSCOPE_EMBED(stepscope_sql_python_lines, STEPSCOPE_LIBRARY_DIR "/python-lines.sql");
STEPSCOPE_EMBED(stepscope_sql_rank_skew, STEPSCOPE_LIBRARY_DIR "/rank-skew.sql");
STEPSCOPE_EMBED(stepscope_sql_shapes_of, STEPSCOPE_LIBRARY_DIR "/shapes-of.sql");
STEPSCOPE_EMBED(stepscope_sql_slow_kernels, STEPSCOPE_LIBRARY_DIR "/slow-kernels.sql");
STEPSCOPE_EMBED(stepscope_sql_steps, STEPSCOPE_LIBRARY_DIR "/steps.sql");
STEPSCOPE_EMBED(stepscope_sql_sync_calls, STEPSCOPE_LIBRARY_DIR "/sync-calls.sql");

namespace stepscope::query {
namespace {

// Takes a line of comment off the front of a file: "-- text".
std::string_view TakeComment(std::string_view& text) {
  if (!text.starts_with("-- ")) return {};
  const size_t end = std::min(text.find('\n'), text.size() - 1);
  const std::string_view line = text.substr(3, end - 3);
  text.remove_prefix(end + 1);
  return line;
}

SavedQuery Parsed(std::string_view name, const char* begin, const char* end) {
  SavedQuery query{.name = name, .file = {begin, static_cast<size_t>(end - begin)}};
  std::string_view rest = query.file;
  query.meaning.en = TakeComment(rest);
  query.meaning.zh = TakeComment(rest);
  query.usage = TakeComment(rest);
  constexpr std::string_view kUsage = "usage: ";
  if (query.usage.starts_with(kUsage)) query.usage.remove_prefix(kUsage.size());
  return query;
}

}  // namespace

std::span<const SavedQuery> Library() {
  static const std::array kQueries{
      Parsed("busy-streams", stepscope_sql_busy_streams_begin, stepscope_sql_busy_streams_end),
      Parsed("collectives", stepscope_sql_collectives_begin, stepscope_sql_collectives_end),
      Parsed("copies", stepscope_sql_copies_begin, stepscope_sql_copies_end),
      Parsed("gaps-longer-than", stepscope_sql_gaps_longer_than_begin,
             stepscope_sql_gaps_longer_than_end),
      Parsed("idle-by-cause", stepscope_sql_idle_by_cause_begin, stepscope_sql_idle_by_cause_end),
      Parsed("launch-queue", stepscope_sql_launch_queue_begin, stepscope_sql_launch_queue_end),
      Parsed("memory-at-peak", stepscope_sql_memory_at_peak_begin,
             stepscope_sql_memory_at_peak_end),
      Parsed("python-lines", stepscope_sql_python_lines_begin, stepscope_sql_python_lines_end),
      Parsed("rank-skew", stepscope_sql_rank_skew_begin, stepscope_sql_rank_skew_end),
      Parsed("shapes-of", stepscope_sql_shapes_of_begin, stepscope_sql_shapes_of_end),
      Parsed("slow-kernels", stepscope_sql_slow_kernels_begin, stepscope_sql_slow_kernels_end),
      Parsed("steps", stepscope_sql_steps_begin, stepscope_sql_steps_end),
      Parsed("sync-calls", stepscope_sql_sync_calls_begin, stepscope_sql_sync_calls_end),
  };
  return kQueries;
}

const SavedQuery* FindSaved(std::string_view name) {
  const auto at = std::ranges::find(Library(), name, &SavedQuery::name);
  return at == Library().end() ? nullptr : &*at;
}

}  // namespace stepscope::query
