#include "tools/events/events_follow.h"

#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "command/output.h"
#include "io/tfrecord.h"
#include "read/tfevents/event.h"
#include "read/tfevents/log_dir.h"
#include "read/tfevents/series_builder.h"
#include "tools/events/event_log.h"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

// The place reached in one file that is being written.
struct Cursor {
  explicit Cursor(RecordFile opened)
      : file(std::move(opened)), records(*file.bytes, RecordStream::AtCut::kWait) {}
  RecordFile file;
  RecordStream records;
};

// A run and what its tags were said to be.
struct Followed {
  std::map<std::string, std::unique_ptr<Cursor>> cursors;  // by path
  std::map<std::string, bool> scalar_tags;
};

bool IsScalar(const SummaryValue& value, Followed& run) {
  if (value.has_metadata) run.scalar_tags[std::string(value.tag)] = value.plugin == "scalars";
  if (value.kind == SummaryValue::Kind::kSimpleValue) return true;
  const auto known = run.scalar_tags.find(std::string(value.tag));
  return value.kind == SummaryValue::Kind::kTensor && known != run.scalar_tags.end() &&
         known->second;
}

void AppendNews(const std::string& name, Followed& run, Cursor& cursor,
                const FollowOptions& options, std::string& out) {
  for (;;) {
    const RecordStream::Outcome outcome = cursor.records.Next();
    if (outcome == RecordStream::Outcome::kEnd) return;
    Event event;
    if (outcome == RecordStream::Outcome::kDamage || !ParseEvent(cursor.records.data(), event)) {
      continue;
    }
    if (event.what == EventWhat::kSessionLog && event.status == SessionStatus::kStart) {
      out += "~ " + options.style.Say(StartOf(name, event.step)) + "\n";
    }
    if (event.what != EventWhat::kSummary) continue;
    SummaryValue value;
    for (SummaryValues values(event.payload); values.Next(value);) {
      if (!IsScalar(value, run) || (options.wanted_tag && !options.wanted_tag(value.tag))) continue;
      const std::optional<double> number = ScalarOf(value);
      if (number) {
        const ScalarPoint point{event.step, event.wall_time, *number};
        out += options.style.Say(FollowedPoint(name, std::string(value.tag), point)) + "\n";
      }
    }
  }
}

}  // namespace

Result<std::string> FollowEvents(const FollowOptions& options) {
  std::map<std::string, Followed> runs;
  Clock::time_point last_news = Clock::now();
  for (;;) {
    const Result<std::vector<EventRun>> found = FindEventRuns(options.paths);
    std::string news;
    for (const EventRun& run : found ? *found : std::vector<EventRun>()) {
      if (options.wanted_run && !options.wanted_run(run.name)) continue;
      Followed& followed = runs[run.name];
      for (const std::string& path : run.files) {
        std::unique_ptr<Cursor>& cursor = followed.cursors[path];
        if (!cursor) {
          Result<RecordFile> opened = OpenRecordFile(path);
          if (!opened) continue;
          cursor = std::make_unique<Cursor>(std::move(*opened));
        }
        AppendNews(run.name, followed, *cursor, options, news);
      }
    }
    if (!news.empty()) {
      last_news = Clock::now();
      if (const auto written = WriteOut(news); !written) return std::unexpected(written.error());
    }
    const std::chrono::duration<double> idle = Clock::now() - last_news;
    if (options.idle_exit_seconds > 0 && idle.count() >= options.idle_exit_seconds) return "";
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
}

}  // namespace stepscope
