#include <array>
#include <charconv>

#include "analyze/report.h"
#include "present/report_json.h"
#include "present/words.h"

// The tables of `report --json`, one row per line.
namespace stepscope {
namespace {

using enum JsonWriter::Layout;

// The kind of a device row is kernel, memcpy or memset; the category says whether a kernel
// communicates.
std::string_view DeviceKindOf(Kind kind) {
  return NameOf(kind == Kind::kCollective ? Kind::kKernel : kind);
}

void WriteGapEvidence(const Trace& trace, const IdleGap& gap, JsonWriter& json) {
  json.Key("evidence");
  json.BeginArray();
  for (const SliceId slice : {gap.blamed, gap.next_work}) {
    if (slice != kNoSlice) json.Value(trace.slices.event[Index(slice)]);
  }
  json.EndArray();
}

void WriteIdleCauses(const Trace& trace, const Report& report, JsonWriter& json) {
  json.Key("idle_causes");
  json.BeginArray(kLines);
  for (const IdleCause& cause : report.idle_causes) {
    json.BeginObject();
    json.Field("device", DeviceIdAt(trace, cause.device));
    json.Field("cause", NameOf(cause.cause));
    json.Field("ns", cause.total.ns);
    json.Field("gaps", cause.gaps);
    json.Key("longest");
    json.BeginObject();
    json.Field("start_ns", cause.longest.start.ns);
    json.Field("ns", cause.longest.length.ns);
    WriteGapEvidence(trace, cause.longest, json);
    json.EndObject();
    json.Field("example", cause.example);
    json.EndObject();
  }
  json.EndArray();
}

void WriteOpNumbers(const OpRow& op, JsonWriter& json) {
  json.Field("calls", op.calls);
  json.Field("host_self_ns", op.host_self.ns);
  json.Field("host_total_ns", op.host_total.ns);
  json.Field("device_self_ns", op.device_self.ns);
  json.Field("device_total_ns", op.device_total.ns);
  json.Field("tensor_core_ns", op.tensor_core.ns);
  json.Field("host_total_outermost_ns", op.host_total_outermost.ns);
  json.Field("device_total_outermost_ns", op.device_total_outermost.ns);
  json.Field("calls_outermost", op.calls_outermost);
  json.Field("host_self_excl_runtime_ns", op.host_self_excl_runtime.ns);
  json.Field("device_self_union_ns", op.device_self_union.ns);
  json.Field("calls_launching", op.calls_launching);
  json.Field("tensor_core_eligible", op.tensor_core_eligible);
  json.Field("tensor_core_total_ns", op.tensor_core_total.ns);
}

void WriteOps(const Trace& trace, const Report& report, JsonWriter& json) {
  json.Key("ops");
  json.BeginArray(kLines);
  for (const OpRow& op : report.ops) {
    json.BeginObject();
    json.Field("name", trace.strings[op.name]);
    json.Field("kind", NameOf(op.kind));
    WriteOpNumbers(op, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("ops_by_shape");
  json.BeginArray(kLines);
  for (const OpRow& op : report.ops_by_shape) {
    json.BeginObject();
    json.Field("name", trace.strings[op.name]);
    json.Field("kind", NameOf(op.kind));
    json.Key("input_shapes");
    const std::string_view dims = trace.strings[op.input_dims];
    IsShapeList(dims) ? json.Raw(dims) : dims.empty() ? json.Value(nullptr) : json.Value(dims);
    WriteOpNumbers(op, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("modules");
  json.BeginArray(kLines);
  for (const ScopeRow& row : report.modules) {
    json.BeginObject();
    json.Field("path", row.path);
    json.Field("calls", row.calls);
    json.Field("host_total_ns", row.host_total.ns);
    json.Field("device_total_ns", row.device_total.ns);
    json.EndObject();
  }
  json.EndArray();
}

void WriteKernels(const Trace& trace, const Report& report, JsonWriter& json) {
  json.Key("kernels");
  json.BeginArray(kLines);
  for (const KernelRow& row : report.kernels) {
    json.BeginObject();
    json.Field("name", trace.strings[row.name]);
    json.Field("kind", DeviceKindOf(row.kind));
    json.Field("device", DeviceIdAt(trace, row.device));
    json.Field("calls", row.calls);
    json.Field("total_ns", row.total.ns);
    json.Field("min_ns", row.min.ns);
    json.Field("max_ns", row.max.ns);
    json.Field("p50_ns", row.p50.ns);
    json.Field("category", NameOf(row.category));
    json.Field("tensor_core", row.tensor_core);
    json.Key("launched_by");
    json.BeginArray();
    for (const LaunchedBy& by : row.launched_by) {
      json.BeginObject();
      json.Field("op", trace.strings[by.op]);
      json.Field("ns", by.total.ns);
      json.EndObject();
    }
    json.EndArray();
    json.Field("mean_blocks_per_sm", row.mean_blocks_per_sm);
    json.Field("mean_occupancy_percent", row.mean_occupancy_percent);
    json.EndObject();
  }
  json.EndArray();
}

void WriteTotals(std::string_view key, const TimelineTotals& totals, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Field("compute_ns", totals.compute.ns);
  json.Field("exposed_communication_ns", totals.exposed_communication.ns);
  json.Field("exposed_copy_ns", totals.exposed_copy.ns);
  json.Field("busy_ns", totals.busy.ns);
  json.Field("idle_ns", totals.idle.ns);
  json.Field("total_ns", totals.total.ns);
  json.EndObject();
}

void WriteLinks(const Links& links, JsonWriter& json) {
  json.Key("links");
  json.BeginObject();
  json.Field("device_events", links.device_events);
  json.Field("linked", links.linked_by_correlation);
  json.Field("unlinked", links.device_events - links.linked_by_correlation);
  json.EndObject();
}

void WriteTimelines(const Trace& trace, const Report& report, JsonWriter& json) {
  json.Key("device_timeline");
  json.BeginArray(kLines);
  for (const DeviceTimeline& timeline : report.device_timeline) {
    json.BeginObject();
    json.Field("device", DeviceIdAt(trace, timeline.device));
    WriteTotals("linked", timeline.linked, json);
    WriteTotals("all", timeline.all, json);
    json.Field("utilization_percent", timeline.utilization_percent);
    json.Field("sm_efficiency_percent", timeline.sm_efficiency_percent);
    json.Field("occupancy_percent", timeline.occupancy_percent);
    json.Field("tensor_core_percent", timeline.tensor_core_percent);
    json.EndObject();
  }
  json.EndArray();
}

std::optional<int64_t> Ns(const std::optional<DurationNs>& duration) {
  if (!duration) return std::nullopt;
  return duration->ns;
}

void WriteLaunches(const Trace& trace, const Launches& launches, JsonWriter& json) {
  json.Key("launches");
  json.BeginObject(kLines);
  json.Field("calls", launches.calls);
  json.Field("pairs", launches.pairs);
  json.Field("median_call_ns", Ns(launches.median_call));
  json.Field("median_delay_ns", Ns(launches.median_delay));
  json.Field("total_delay_ns", launches.total_delay.ns);
  json.Field("max_delay_ns", launches.max_delay.ns);
  json.Field("queue_empty", launches.queue_empty);
  json.Field("queue_full", launches.queue_full);
  json.Key("queues");
  json.BeginArray(kLines);
  for (const StreamQueue& queue : launches.queues) {
    json.BeginObject();
    json.Field("device", DeviceIdAt(trace, queue.device));
    json.Field("stream", queue.stream);
    json.Field("pairs", queue.pairs);
    json.Field("max", queue.max);
    json.Field("mean", queue.mean);
    json.Field("empty", queue.empty);
    json.Field("full", queue.full);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteAllocators(const Trace& trace, std::span<const MemoryAllocator> allocators,
                     JsonWriter& json) {
  json.Key("allocators");
  json.BeginArray();
  for (const MemoryAllocator& allocator : allocators) {
    json.BeginObject();
    json.Field("name", trace.strings[allocator.name]);
    json.Field("peak_allocated_bytes", allocator.peak_allocated_bytes);
    json.Field("peak_of_running_sum_bytes", allocator.peak_of_running_sum_bytes);
    json.Field("end_allocated_bytes", allocator.end_allocated_bytes);
    json.Field("allocations", allocator.allocations);
    json.EndObject();
  }
  json.EndArray();
}

void WriteMemory(const Trace& trace, const Report& report, JsonWriter& json) {
  json.Key("memory");
  json.BeginArray(kLines);
  for (const MemoryRow& row : report.memory) {
    json.BeginObject();
    json.Field("device", DeviceIdOf(row.type, row.device));
    json.Field("peak_allocated_bytes", row.peak_allocated_bytes);
    json.Field("peak_of_running_sum_bytes", row.peak_of_running_sum_bytes);
    json.Field("peak_reserved_bytes", row.peak_reserved_bytes);
    json.Field("peak_at_ns", row.peak_at ? std::optional(row.peak_at->ns) : std::nullopt);
    json.Field("end_allocated_bytes", row.end_allocated_bytes);
    json.Field("growth_bytes_per_step", row.growth_bytes_per_step);
    if (!row.allocators.empty()) WriteAllocators(trace, row.allocators, json);
    json.Key("top_ops");
    json.BeginArray();
    for (const MemoryTopOp& top : row.top_ops) {
      json.BeginObject();
      json.Field("op", trace.strings[top.op]);
      json.Field("bytes", top.bytes);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void WriteCommunication(const std::optional<Communication>& communication, JsonWriter& json) {
  json.Key("communication");
  if (!communication) return json.Value(nullptr);
  json.BeginObject(kLines);
  json.Field("union_ns", communication->union_time.ns);
  json.Field("overlap_with_kernels_ns", communication->overlap_with_kernels.ns);
  json.Field("exposed_vs_kernels_ns", communication->exposed_vs_kernels.ns);
  json.Key("by_collective");
  json.BeginArray(kLines);
  for (const CollectiveRow& row : communication->by_collective) {
    json.BeginObject();
    json.Field("name", row.name);
    json.Field("calls", row.calls);
    json.Field("ns", row.total.ns);
    json.Field("bytes", row.bytes);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteHlo(const Trace& trace, const Report& report, JsonWriter& json) {
  if (report.hlo.empty()) return;
  json.Key("hlo");
  json.BeginArray(kLines);
  const auto text = [&](std::string_view key, StringId id) {
    json.Key(key);
    id == kEmptyString ? json.Value(nullptr) : json.Value(trace.strings[id]);
  };
  for (const HloRow& row : report.hlo) {
    json.BeginObject();
    json.Field("name", trace.strings[row.name]);
    text("module", row.module);
    text("category", row.category);
    text("op_name", row.op_name);
    text("source", row.source);
    json.Field("calls", row.calls);
    json.Field("total_ns", row.total.ns);
    json.Field("flops", row.flops);
    json.Field("bytes", row.bytes);
    json.EndObject();
  }
  json.EndArray();
}

void WriteInput(const Input& input, JsonWriter& json) {
  json.Key("input");
  json.BeginObject(kLines);
  json.Key("wait_ns");
  json.BeginArray();
  for (const DurationNs wait : input.wait) json.Value(wait.ns);
  json.EndArray();
  json.Key("stages");
  json.BeginArray(kLines);
  for (const InputStage& stage : input.stages) {
    json.BeginObject();
    json.Field("name", stage.name);
    json.Field("path", stage.path);
    json.Field("self_ns", stage.self.ns);
    json.Field("calls", stage.calls);
    json.Field("user_written", stage.user_written);
    if (stage.total.ns > 0) {  // tf.data
      json.Field("total_ns", stage.total.ns);
      json.Field("blocking_ns", stage.blocking.ns);
      if (!stage.written_as.empty()) json.Field("written_as", stage.written_as);
      if (stage.parallelism) json.Field("parallelism", *stage.parallelism);
      if (stage.buffer_limit) json.Field("buffer_limit", *stage.buffer_limit);
      if (stage.buffered) {
        json.Field("buffered_mean", *stage.buffered);
        json.Field("buffer_seen", stage.buffer_seen);
        json.Field("buffer_empty", stage.buffer_empty);
      }
      json.Field("autotuned", stage.autotuned);
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteCounters(const Trace& trace, const Report& report, JsonWriter& json) {
  json.Key("counters");
  json.BeginArray(kLines);
  for (const CounterRow& row : report.counters) {
    json.BeginObject();
    json.Field("name", trace.strings[row.name]);
    json.Field("series", trace.strings[row.series]);
    json.Field("samples", row.samples);
    json.Field("min", row.min);
    json.Field("max", row.max);
    json.Field("mean", row.mean);
    json.Field("last", row.last);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

bool IsShapeList(std::string_view text) {
  if (!text.starts_with('[')) return false;
  size_t depth = 0;
  bool value_before = false;  // a value has just ended: a comma or a bracket may follow
  bool comma_before = false;  // a value has to follow
  while (!text.empty()) {
    const char c = text[0];
    if (c == '[' && !value_before) {
      ++depth;
      comma_before = false;
    } else if (c == ']' && depth > 0 && !comma_before) {
      --depth;
      value_before = true;
      if (depth == 0) return text.size() == 1;
    } else if (c == ',' && value_before) {
      value_before = false;
      comma_before = true;
    } else if (!value_before) {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool leads_with_zero = text.starts_with('0') && end != text.data() + 1;
      if (error != std::errc() || leads_with_zero || text.starts_with("-0")) return false;
      text.remove_prefix(static_cast<size_t>(end - text.data()) - 1);
      value_before = true;
      comma_before = false;
    } else {
      return false;
    }
    text.remove_prefix(1);
  }
  return false;
}

void WriteTableParts(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  const Trace& trace = linked.trace;
  WriteIdleCauses(trace, report, json);
  WriteOps(trace, report, json);
  WriteKernels(trace, report, json);
  WriteLinks(linked.links, json);
  WriteTimelines(trace, report, json);
  WriteLaunches(trace, report.launches, json);
  WriteMemory(trace, report, json);
  WriteCommunication(report.communication, json);
  WriteHlo(trace, report, json);
  WriteInput(report.input, json);
  WriteCounters(trace, report, json);
}

}  // namespace stepscope
