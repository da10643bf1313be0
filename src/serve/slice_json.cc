#include <fmt/format.h>

#include <algorithm>

#include "analyze/idle/idle_gaps.h"
#include "present/json_writer.h"
#include "serve/slice_links.h"
#include "serve/trace_json.h"

namespace stepscope {
namespace {

void WriteRefFields(const LoadedTrace& loaded, uint32_t row, JsonWriter& json) {
  const Trace& trace = loaded.trace();
  const Slices& slices = trace.slices;
  json.Field("row", row);
  json.Field("name", trace.Name(row));
  json.Field("kind", NameOf(slices.kind[row]));
  json.Field("line", loaded.LineOf(trace.TrackOf(row)));
  json.Field("depth", slices.depth[row]);
  json.Field("start_ns", slices.start[row].ns);
  json.Field("duration_ns", slices.duration[row].ns);
}

void WriteRef(const LoadedTrace& loaded, uint32_t row, JsonWriter& json) {
  if (row == kNoRow) {
    json.Value(nullptr);
    return;
  }
  json.BeginObject();
  WriteRefFields(loaded, row, json);
  json.EndObject();
}

// The spans right before and after on the same line and depth.
std::pair<uint32_t, uint32_t> NeighboursOf(const LoadedTrace& loaded, uint32_t row) {
  const Trace& trace = loaded.trace();
  const uint32_t line = loaded.LineOf(trace.TrackOf(row));
  if (line == kNoRow) return {kNoRow, kNoRow};
  const Line& at_line = loaded.timeline().lines()[line];
  const auto rows = loaded.timeline().strip(at_line, trace.slices.depth[row]).rows().View();
  // Rows of a strip ascend.
  const auto at = std::ranges::lower_bound(rows, row);
  if (at == rows.end() || *at != row) return {kNoRow, kNoRow};
  return {at == rows.begin() ? kNoRow : at[-1], at + 1 == rows.end() ? kNoRow : at[1]};
}

DurationNs SelfTimeOf(const Trace& trace, uint32_t row) {
  const Slices& slices = trace.slices;
  DurationNs self = slices.duration[row];
  const RowRange track = trace.tracks[Index(trace.TrackOf(row))].slices;
  for (uint32_t child = row + 1; child < track.last && slices.start[child] < slices.end(row);
       ++child) {
    if (slices.parent[child] == SliceId{row}) self -= slices.duration[child];
  }
  return self;
}

void WriteDeviceFacts(const DeviceArgs& args, JsonWriter& json) {
  const auto fact = [&](std::string_view name, const auto& value) {
    json.BeginArray();
    json.Value(name);
    json.Value(value);
    json.EndArray();
  };
  if (args.stream >= 0) fact("stream", args.stream);
  if (args.correlation != kNoCorrelation) fact("correlation", std::to_string(args.correlation));
  if (args.bytes >= 0) fact("bytes", args.bytes);
  if (args.grid[0] > 0) {
    fact("grid", fmt::format("{} × {} × {}", args.grid[0], args.grid[1], args.grid[2]));
    fact("block", fmt::format("{} × {} × {}", args.block[0], args.block[1], args.block[2]));
    fact("registers", args.registers);
    fact("shared memory", args.shared_memory);
  }
  if (args.blocks_per_sm >= 0) fact("blocks per SM", fmt::format("{:.2f}", args.blocks_per_sm));
  if (args.occupancy_percent >= 0)
    fact("occupancy, %", fmt::format("{:.0f}", args.occupancy_percent));
}

void WriteFacts(const Trace& trace, uint32_t row, JsonWriter& json) {
  json.BeginArray();
  const uint32_t args = trace.slices.args[row];
  const Kind kind = trace.slices.kind[row];
  if (args != kNoRow && IsDeviceWork(kind)) WriteDeviceFacts(trace.device_args[args], json);
  json.EndArray();
}

}  // namespace

std::string SliceRefJson(const LoadedTrace& loaded, uint32_t row) {
  std::string out;
  JsonWriter json(out);
  WriteRef(loaded, row, json);
  return out;
}

std::string SliceJson(const LoadedTrace& loaded, uint32_t row) {
  const Trace& trace = loaded.trace();
  const Slices& slices = trace.slices;
  const auto parent_of = [&](uint32_t of) {
    return slices.parent[of] == kNoSlice ? kNoRow : Index(slices.parent[of]);
  };
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  WriteRefFields(loaded, row, json);
  json.Field("event", slices.event[row]);
  json.Field("name_id", Index(slices.name[row]));
  json.Field("flags", slices.flags[row]);
  json.Field("self_ns", SelfTimeOf(trace, row).ns);
  json.Key("parent");
  WriteRef(loaded, parent_of(row), json);
  json.Key("ancestors");
  json.BeginArray();
  constexpr int kMostAncestors = 64;
  int shown = 0;
  for (uint32_t up = parent_of(row); up != kNoRow && shown < kMostAncestors; up = parent_of(up)) {
    WriteRef(loaded, up, json);
    ++shown;
  }
  json.EndArray();
  const auto [before, after] = NeighboursOf(loaded, row);
  json.Field("previous", before == kNoRow ? std::nullopt : std::optional(before));
  json.Field("next", after == kNoRow ? std::nullopt : std::optional(after));
  json.Key("facts");
  WriteFacts(trace, row, json);
  constexpr size_t kMostLinks = 100;
  const std::vector<SliceLink> links = LinksOf(trace, loaded.linked().links, row);
  json.Key("links");
  json.BeginArray();
  for (size_t i = 0; i < std::min(links.size(), kMostLinks); ++i) {
    json.BeginObject();
    json.Field("relation", links[i].relation);
    json.Key("slice");
    WriteRef(loaded, links[i].slice, json);
    json.EndObject();
  }
  json.EndArray();
  json.Field("links_left_out", links.size() - std::min(links.size(), kMostLinks));
  json.EndObject();
  return out;
}

std::string IdleJson(const LoadedTrace& loaded, const Line& line, uint32_t gap) {
  const Trace& trace = loaded.trace();
  const IdleGaps& gaps = loaded.timeline().idle(line);
  const Device& device = trace.devices[static_cast<size_t>(gaps.device)];
  const auto row_of = [](SliceId slice) { return slice == kNoSlice ? kNoRow : Index(slice); };
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("device", DeviceIdOf(device.type, device.index));
  json.Field("cause", NameOf(gaps.cause[gap]));
  json.Field("start_ns", gaps.start[gap].ns);
  json.Field("duration_ns", gaps.duration[gap].ns);
  json.Key("blamed");
  WriteRef(loaded, row_of(gaps.blamed[gap]), json);
  json.Key("next");
  WriteRef(loaded, row_of(gaps.next_work[gap]), json);
  json.Key("step");
  const auto& steps = loaded.linked().steps.items;
  const auto step = std::ranges::find_if(steps, [&](const Step& item) {
    return item.start <= gaps.start[gap] && gaps.start[gap] < item.end();
  });
  step == steps.end() ? json.Value(nullptr) : json.Value(step->name);
  json.EndObject();
  return out;
}

std::string SearchJson(const LoadedTrace& loaded, const SearchHits& hits, size_t first) {
  constexpr size_t kPage = 400;
  constexpr size_t kMostNames = 5000;
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("count", hits.count);
  json.Field("names", hits.names.size());
  json.Key("name_ids");
  json.BeginArray();
  for (size_t i = 0; i < std::min(hits.names.size(), kMostNames); ++i) {
    json.Value(Index(hits.names[i]));
  }
  json.EndArray();
  const size_t from = std::min(first, hits.slices.size());
  json.Field("first", from);
  json.Key("hits");
  json.BeginArray();
  for (size_t i = from; i < std::min(from + kPage, hits.slices.size()); ++i) {
    WriteRef(loaded, hits.slices[i], json);
  }
  json.EndArray();
  json.Field("error", nullptr);
  json.EndObject();
  return out;
}

std::string CallsJson(const LoadedTrace& loaded, StringId name, const CallStatistics& calls) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("name", loaded.trace().strings[name]);
  json.Field("calls", calls.calls);
  json.Field("total_ns", calls.total.ns);
  json.Field("min_ns", calls.min.ns);
  json.Field("max_ns", calls.max.ns);
  json.Field("p50_ns", calls.p50.ns);
  json.Field("p90_ns", calls.p90.ns);
  json.Field("p99_ns", calls.p99.ns);
  json.Objects("histogram", calls.histogram, [&](const CallBin& bin) {
    json.Field("from_ns", bin.from.ns);
    json.Field("to_ns", bin.to.ns);
    json.Field("count", bin.count);
  });
  json.Key("longest");
  json.BeginArray();
  for (const uint32_t row : calls.longest) WriteRef(loaded, row, json);
  json.EndArray();
  json.EndObject();
  return out;
}

}  // namespace stepscope
