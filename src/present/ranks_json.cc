#include <fmt/format.h>

#include <algorithm>

#include "present/ranks.h"
#include "present/words.h"

namespace stepscope {
namespace {

using enum JsonWriter::Layout;

// A row of times: a name and a duration in turn.
void Times(JsonWriter& json, std::initializer_list<std::pair<std::string_view, DurationNs>> times) {
  for (const auto& [name, time] : times) json.Field(name, time.ns);
}

void WriteClock(const Job& job, JsonWriter& json) {
  json.Key("clock");
  json.BeginObject(kLines);
  json.Field("reference", job.ranks.front().rank);
  json.Field("marks", job.clocks.marks);
  json.Field("small_marks", job.clocks.marks > 0 && job.clocks.small_marks);
  json.Field("shared", job.clocks.shared);
  json.Field("violations", job.clocks.violations);
  json.Key("ranks");
  json.BeginArray(kLines);
  for (size_t p = 0; p < job.ranks.size(); ++p) {
    const RankClock& clock = job.clocks.ranks[p];
    json.BeginObject();
    json.Field("rank", job.ranks[p].rank);
    json.Field("offset_ns", clock.offset_ns);
    json.Field("error_ns", clock.error_ns);
    json.Field("drift_ppm", clock.drift * 1e6);
    json.Field("aligned", clock.aligned);
    const std::string& host = job.ranks[p].host;
    json.Field("host", host.empty() ? std::optional<std::string>() : host);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteGroups(const Job& job, JsonWriter& json) {
  json.Key("groups");
  json.BeginArray(kLines);
  for (size_t g = 0; g < job.groups.size(); ++g) {
    const RankGroup& group = job.groups[g].facts;
    json.BeginObject();
    json.Field("id", g);
    json.Field("name", group.name);
    json.Field("description", group.description);
    json.Key("ranks");
    json.BeginArray();
    for (const int64_t rank : group.ranks) json.Value(rank);
    json.EndArray();
    json.Field("size", group.size);
    json.Field("complete", job.groups[g].complete);
    json.Field("backend", group.backend);
    json.EndObject();
  }
  json.EndArray();
}

void WriteCollectives(const Job& job, JsonWriter& json) {
  json.Key("collectives");
  json.BeginArray(kLines);
  for (const JobCollective& row : job.collectives) {
    json.BeginObject();
    json.Field("group", row.group);
    json.Field("type", NameOf(row.type));
    json.Field("dtype", row.dtype.empty() ? std::optional<std::string>() : row.dtype);
    json.Field("bytes", row.bytes < 0 ? std::optional<int64_t>() : row.bytes);
    json.Field("channel", row.channel < 0 ? std::optional<int64_t>() : row.channel);
    json.Field("instruction",
               row.instruction.empty() ? std::optional<std::string>() : row.instruction);
    json.Field("calls", row.calls);
    json.Field("complete", row.complete);
    json.Key("transfer_ns");
    if (row.transfer) {
      json.BeginObject();
      Times(json, {{"median", row.transfer->median},
                   {"p10", row.transfer->p10},
                   {"p90", row.transfer->p90},
                   {"sum", row.transfer->sum}});
      json.EndObject();
    } else {
      json.Value(nullptr);
    }
    json.Field("transfer_by", row.by_clock ? "clock" : "min_duration");
    json.Key("wait_ns");
    json.BeginObject();
    Times(json, {{"median", row.wait.median}, {"max", row.wait.max}, {"sum", row.wait.sum}});
    json.EndObject();
    json.Key("arrival_skew_ns");
    json.BeginObject();
    Times(json, {{"median", row.skew.median}, {"max", row.skew.max}, {"sum", row.skew.sum}});
    json.EndObject();
    json.Field("algbw_bytes_per_s", row.algorithm_bandwidth);
    json.Field("busbw_bytes_per_s", row.bus_bandwidth);
    json.Field("peak_bytes_per_s", row.peak);
    json.Field("imbalance", row.imbalance);
    json.Field("cost", NameOf(row.cost));
    json.EndObject();
  }
  json.EndArray();
}

void WriteRanks(const Job& job, JsonWriter& json) {
  json.Key("ranks");
  json.BeginArray(kLines);
  for (const JobRank& row : job.ranks) {
    json.BeginObject();
    json.Field("rank", row.rank);
    json.Field("path", row.path);
    json.Field("steps", row.steps);
    Times(json, {{"step_ns", row.step},
                 {"own_ns", row.own},
                 {"compute_ns", row.compute},
                 {"exposed_transfer_ns", row.exposed_transfer},
                 {"exposed_wait_ns", row.exposed_wait},
                 {"copy_ns", row.copy},
                 {"input_ns", row.input},
                 {"idle_ns", row.idle},
                 {"wait_ns", row.wait}});
    json.Field("last", row.last);
    json.Field("first", row.first);
    json.Field("z", row.z);
    json.Field("damaged", !row.counts);
    json.EndObject();
  }
  json.EndArray();
}

void WriteStraggler(const Job& job, JsonWriter& json) {
  json.Key("straggler");
  if (!job.straggler) return json.Value(nullptr);
  const Straggler& straggler = *job.straggler;
  json.BeginObject();
  json.Field("rank", straggler.rank);
  json.Field("consistent", straggler.consistent);
  json.Field("excess_ns", straggler.excess.ns);
  json.Field("gain_lo_ns", straggler.gain_lo.ns);
  json.Field("gain_hi_ns", straggler.gain_hi.ns);
  json.Field("cause", NameOf(straggler.cause));
  json.Field("factor", straggler.factor);
  json.Field("region", straggler.region.empty() ? std::optional<std::string>() : straggler.region);
  json.Field("last_share", straggler.last_share);
  json.Field("sentence", straggler.sentence);
  json.IdAndArgs(straggler.sentence);
  json.EndObject();
}

void WritePipeline(const Job& job, JsonWriter& json) {
  json.Key("pipeline");
  if (!job.pipeline) return json.Value(nullptr);
  json.BeginObject();
  json.Field("stages", job.pipeline->stages);
  json.Field("micro_batches", job.pipeline->micro_batches);
  json.Field("measured_bubble", job.pipeline->measured_bubble);
  json.Field("ideal_bubble", job.pipeline->ideal_bubble);
  json.Field("stage_imbalance", job.pipeline->stage_imbalance);
  json.EndObject();
}

void WritePath(const Job& job, JsonWriter& json) {
  json.Key("critical_path");
  json.BeginArray(kLines);
  for (const PathPart& part : job.critical_path) {
    json.BeginObject();
    json.Field("rank", part.rank);
    json.Field("kind", NameOf(part.kind));
    json.Field("ns", part.time.ns);
    json.EndObject();
  }
  json.EndArray();
  json.Field("critical_path_ns", job.path_time.ns);
}

// Late and own time of every rank in every step that all have.
void WriteSteps(const Job& job, JsonWriter& json) {
  const Lateness& lateness = job.lateness;
  json.Key("steps");
  json.BeginArray(kLines);
  for (size_t s = 0; s < lateness.steps.size(); ++s) {
    json.BeginObject();
    json.Field("step", lateness.steps[s]);
    for (const auto& [key, rows] :
         {std::pair("late_ns", &lateness.late[s]), std::pair("own_ns", &lateness.own[s])}) {
      json.Key(key);
      json.BeginArray();
      for (const DurationNs time : *rows) {
        time == kNoOwnTime ? json.Value(nullptr) : json.Value(time.ns);
      }
      json.EndArray();
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("slow_steps");
  json.BeginArray(kLines);
  for (const SlowStep& slow : job.slow_steps) {
    json.BeginObject();
    json.Field("step", slow.step);
    json.Field("rank", slow.rank);
    json.Field("excess_ns", slow.excess.ns);
    json.EndObject();
  }
  json.EndArray();
}

void WriteMismatches(const Job& job, JsonWriter& json) {
  json.Key("mismatches");
  json.BeginArray(kLines);
  for (const Mismatch& row : job.mismatches) {
    const auto or_null = [](const std::string& text) {
      return text.empty() ? std::optional<std::string>() : text;
    };
    json.BeginObject();
    json.Field("group", row.group);
    json.Field("index", row.index);
    json.Field("rank", row.rank);
    json.Field("expected", or_null(row.expected));
    json.Field("found", or_null(row.found));
    json.Field("event", row.event);
    json.EndObject();
  }
  json.EndArray();
}

// Times that the page draws: what fits a picture and a file.
constexpr size_t kDrawnTimes = 20'000;

// The first calls in the order of time: [start, end, event] of each rank, null where it has none.
void WriteCalls(const Job& job, JsonWriter& json) {
  json.Key("calls");
  json.BeginArray(kLines);
  const size_t most = std::max<size_t>(1, kDrawnTimes / std::max<size_t>(1, job.ranks.size()));
  for (const JobCall& call : std::span(job.calls).first(std::min(most, job.calls.size()))) {
    json.BeginObject();
    json.Field("collective", call.collective);
    json.Field("step", call.in_step ? std::optional(call.step) : std::optional<int64_t>());
    json.Key("ranks");
    json.BeginArray();
    for (size_t p = 0; p < call.of_rank.size(); ++p) {
      if (!call.events[p]) {
        json.Value(nullptr);
        continue;
      }
      json.BeginArray();
      json.Value(call.of_rank[p].start.ns);
      json.Value(call.of_rank[p].end.ns);
      json.Value(*call.events[p]);
      json.EndArray();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void WriteJobMembers(const Job& job, JsonWriter& json) {
  json.Field("schema", "stepscope.ranks/1");
  json.Field("name", job.name);
  json.Field("world_size", job.world_size);
  json.Key("ranks_present");
  json.BeginArray();
  for (const JobRank& rank : job.ranks) json.Value(rank.rank);
  json.EndArray();
  json.Field("step_ns", job.step.ns);
  json.Field("pace_rank", job.ranks[job.pace].rank);
  WriteClock(job, json);
  WriteGroups(job, json);
  WriteCollectives(job, json);
  WriteRanks(job, json);
  WriteStraggler(job, json);
  WritePipeline(job, json);
  WritePath(job, json);
  WriteSteps(job, json);
  WriteMismatches(job, json);
  WriteCalls(job, json);
}

void WriteScaling(const Scaling& scaling, JsonWriter& json) {
  json.BeginObject(kLines);
  json.Field("kind", scaling.weak ? "weak" : "strong");
  json.Key("runs");
  json.BeginArray(kLines);
  for (const ScalingRun& run : scaling.runs) {
    json.BeginObject();
    json.Field("devices", run.devices);
    json.Field("name", run.name);
    Times(json, {{"step_ns", run.step},
                 {"compute_ns", run.compute},
                 {"exposed_transfer_ns", run.exposed_transfer},
                 {"exposed_wait_ns", run.exposed_wait},
                 {"idle_ns", run.idle}});
    json.Field("efficiency", run.efficiency);
    Times(json, {{"loss_ns", run.loss},
                 {"loss_compute_ns", run.loss_compute},
                 {"loss_transfer_ns", run.loss_transfer},
                 {"loss_wait_ns", run.loss_wait},
                 {"loss_idle_ns", run.loss_idle}});
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

void WriteJobJson(const Job& job, JsonWriter& json) {
  json.BeginObject(kLines);
  WriteJobMembers(job, json);
  json.EndObject();
}

void WriteRanksJson(const JobsReport& report, std::span<const Error> failed, JsonWriter& json) {
  json.BeginObject(kLines);
  if (report.jobs.empty()) {
    json.Field("schema", "stepscope.ranks/1");
    for (const char* empty : {"ranks_present", "groups", "collectives", "ranks", "mismatches"}) {
      json.Key(empty);
      json.BeginArray();
      json.EndArray();
    }
    json.Field("straggler", nullptr);
  } else {
    WriteJobMembers(report.jobs.front(), json);
  }
  json.Key("scaling");
  report.scaling ? WriteScaling(*report.scaling, json) : json.Value(nullptr);
  json.Key("other_jobs");
  json.BeginArray(kLines);
  for (size_t j = 1; j < report.jobs.size(); ++j) WriteJobJson(report.jobs[j], json);
  json.EndArray();
  json.Key("alone");
  json.BeginArray(kLines);
  for (const size_t place : report.alone) json.Value(report.digests[place].path);
  json.EndArray();
  json.Key("not_read");
  json.BeginArray(kLines);
  for (const Error& error : failed) {
    json.BeginObject();
    json.Field("path", error.file);
    json.Field("sentence", error.sentence);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace stepscope
