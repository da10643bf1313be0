#include "profile_tables.h"

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "advise/finding.h"
#include "analyze/report.h"
#include "link/linked_trace.h"
#include "present/words.h"
#include "trace/kind.h"

namespace stepscope::python {
namespace {

using Opened = std::shared_ptr<OpenedProfile>;

// The column that says which trace a row is of, then what `fill` makes of each.
template <typename Fill>
TableData Make(const Opened& opened, Fill fill) {
  TableData table;
  for (size_t i = 0; i < opened->profile().traces.size(); ++i) {
    ChunkMaker chunk(opened);
    fill(chunk, opened->profile().traces[i], i);
    const size_t rows = chunk.columns[0].rows;
    chunk.Uint32("trace", std::vector<uint32_t>(rows, static_cast<uint32_t>(i)));
    table.names = chunk.names;
    table.chunks.push_back(std::move(chunk.columns));
  }
  return table;
}

// One value of each row.
template <typename Rows, typename Of>
auto Each(const Rows& rows, Of of) {
  std::vector<decltype(of(rows[0]))> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(of(row));
  return values;
}

template <typename Row>
std::vector<int64_t> Durations(const std::vector<Row>& rows, DurationNs Row::* member) {
  return Each(rows, [&](const Row& row) { return (row.*member).ns; });
}

template <typename Row>
std::vector<int64_t> Counts(const std::vector<Row>& rows, uint64_t Row::* member) {
  return Each(rows, [&](const Row& row) { return static_cast<int64_t>(row.*member); });
}

template <typename Row>
std::vector<uint8_t> Truths(const std::vector<Row>& rows, bool Row::* member) {
  return Each(rows, [&](const Row& row) { return static_cast<uint8_t>(row.*member); });
}

double OrNan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::shared_ptr<const Dictionary> AllStrings(const Opened& opened, const Trace& trace) {
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->owner = opened;
  dictionary->values.reserve(trace.strings.size());
  for (uint32_t i = 0; i < trace.strings.size(); ++i) {
    dictionary->values.push_back(trace.strings[StringId{i}]);
  }
  return dictionary;
}

std::shared_ptr<const Dictionary> AllKinds() {
  auto dictionary = std::make_shared<Dictionary>();
  for (uint8_t kind = 0; kind <= static_cast<uint8_t>(Kind::kOverhead); ++kind) {
    dictionary->values.push_back(NameOf(static_cast<Kind>(kind)));
  }
  return dictionary;
}

TableData Ops(const Opened& opened, std::vector<OpRow> Report::* rows_of, bool shapes) {
  return Make(opened, [&](ChunkMaker& chunk, const Trace& trace, size_t i) {
    const std::vector<OpRow>& rows = opened->study().report(i).*rows_of;
    chunk.Text("name", Each(rows, [&](const OpRow& row) { return trace.strings[row.name]; }));
    chunk.Text("kind", Each(rows, [](const OpRow& row) { return NameOf(row.kind); }));
    if (shapes) {
      chunk.Text("input_shapes",
                 Each(rows, [&](const OpRow& row) { return trace.strings[row.input_dims]; }));
    }
    chunk.Int64("calls", Counts(rows, &OpRow::calls));
    chunk.Int64("host_self_ns", Durations(rows, &OpRow::host_self));
    chunk.Int64("host_total_ns", Durations(rows, &OpRow::host_total));
    chunk.Int64("device_self_ns", Durations(rows, &OpRow::device_self));
    chunk.Int64("device_total_ns", Durations(rows, &OpRow::device_total));
    chunk.Int64("tensor_core_ns", Durations(rows, &OpRow::tensor_core));
    chunk.Int64("host_total_outermost_ns", Durations(rows, &OpRow::host_total_outermost));
    chunk.Int64("device_total_outermost_ns", Durations(rows, &OpRow::device_total_outermost));
    chunk.Int64("calls_outermost", Counts(rows, &OpRow::calls_outermost));
    chunk.Int64("host_self_excl_runtime_ns", Durations(rows, &OpRow::host_self_excl_runtime));
    chunk.Int64("device_self_union_ns", Durations(rows, &OpRow::device_self_union));
    chunk.Int64("calls_launching", Counts(rows, &OpRow::calls_launching));
    chunk.Bool("tensor_core_eligible", Truths(rows, &OpRow::tensor_core_eligible));
    chunk.Int64("tensor_core_total_ns", Durations(rows, &OpRow::tensor_core_total));
  });
}

}  // namespace

TableData SlicesTable(const Opened& opened) {
  return Make(opened, [&](ChunkMaker& chunk, const Trace& trace, size_t) {
    const Slices& slices = trace.slices;
    chunk.Borrow("start_ns", ColumnType::kInt64, slices.start);
    chunk.Borrow("duration_ns", ColumnType::kInt64, slices.duration);
    chunk.Borrow("name", ColumnType::kUint32, slices.name, AllStrings(opened, trace));
    chunk.Borrow("kind", ColumnType::kUint8, slices.kind, AllKinds());
    std::vector<uint32_t> tracks(slices.size());
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
      const RowRange range = trace.tracks[t].slices;
      std::fill(tracks.begin() + range.first, tracks.begin() + range.last, t);
    }
    chunk.Uint32("track", std::move(tracks));
    // kNoSlice has all bits set: -1.
    chunk.Borrow("parent", ColumnType::kInt32, slices.parent);
    chunk.Borrow("depth", ColumnType::kUint16, slices.depth);
    chunk.Borrow("event", ColumnType::kUint32, slices.event);
    chunk.Borrow("flags", ColumnType::kUint8, slices.flags);
  });
}

TableData TracksTable(const Opened& opened) {
  return Make(opened, [&](ChunkMaker& chunk, const Trace& trace, size_t) {
    const std::vector<Track>& rows = trace.tracks;
    const auto process = [&](const Track& row) -> const Process& {
      return trace.processes[Index(row.process)];
    };
    chunk.Text("name", Each(rows, [&](const Track& row) { return trace.strings[row.name]; }));
    chunk.OwnText("process", Each(rows, [&](const Track& row) { return process(row).key; }));
    chunk.Text("process_name",
               Each(rows, [&](const Track& row) { return trace.strings[process(row).name]; }));
    chunk.OwnText("key", Each(rows, [](const Track& row) { return row.key; }));
    chunk.Text("kind", Each(rows, [](const Track& row) -> std::string_view {
                 constexpr std::array<std::string_view, 4> kNames{"thread", "stream", "async",
                                                                  "other"};
                 return kNames[static_cast<size_t>(row.kind)];
               }));
    chunk.Int64("device", Each(rows, [](const Track& row) { return int64_t{row.device}; }));
    chunk.Int64("stream", Each(rows, [](const Track& row) { return int64_t{row.stream}; }));
    chunk.Int64("first_slice",
                Each(rows, [](const Track& row) { return int64_t{row.slices.first}; }));
    chunk.Int64("slices", Each(rows, [](const Track& row) { return int64_t{row.slices.size()}; }));
  });
}

TableData OpsTable(const Opened& opened) { return Ops(opened, &Report::ops, false); }
TableData OpsByShapeTable(const Opened& opened) { return Ops(opened, &Report::ops_by_shape, true); }

TableData KernelsTable(const Opened& opened) {
  return Make(opened, [&](ChunkMaker& chunk, const Trace& trace, size_t i) {
    const std::vector<KernelRow>& rows = opened->study().report(i).kernels;
    chunk.Text("name", Each(rows, [&](const KernelRow& row) { return trace.strings[row.name]; }));
    chunk.Text("kind", Each(rows, [](const KernelRow& row) {
                 return NameOf(row.kind == Kind::kCollective ? Kind::kKernel : row.kind);
               }));
    chunk.OwnText("device",
                  Each(rows, [&](const KernelRow& row) { return DeviceIdAt(trace, row.device); }));
    chunk.Int64("calls", Counts(rows, &KernelRow::calls));
    chunk.Int64("total_ns", Durations(rows, &KernelRow::total));
    chunk.Int64("min_ns", Durations(rows, &KernelRow::min));
    chunk.Int64("max_ns", Durations(rows, &KernelRow::max));
    chunk.Int64("p50_ns", Durations(rows, &KernelRow::p50));
    chunk.Text("category", Each(rows, [](const KernelRow& row) { return NameOf(row.category); }));
    chunk.Bool("tensor_core", Truths(rows, &KernelRow::tensor_core));
    chunk.Double("mean_blocks_per_sm",
                 Each(rows, [](const KernelRow& row) { return OrNan(row.mean_blocks_per_sm); }));
    chunk.Double("mean_occupancy_percent", Each(rows, [](const KernelRow& row) {
                   return OrNan(row.mean_occupancy_percent);
                 }));
    chunk.Text("mostly_launched_by", Each(rows, [&](const KernelRow& row) {
                 return row.launched_by.empty() ? std::string_view()
                                                : trace.strings[row.launched_by[0].op];
               }));
  });
}

TableData StepsTable(const Opened& opened) {
  return Make(opened, [&](ChunkMaker& chunk, const Trace&, size_t i) {
    const std::vector<Step>& rows = opened->study().linked(i).steps.items;
    chunk.Text("name", Each(rows, [](const Step& row) { return std::string_view(row.name); }));
    chunk.Int64("number", Each(rows, [](const Step& row) { return row.number; }));
    chunk.Int64("start_ns", Each(rows, [](const Step& row) { return row.start.ns; }));
    chunk.Int64("duration_ns", Durations(rows, &Step::duration));
    chunk.Int64("host_start_ns", Each(rows, [](const Step& row) { return row.host_start.ns; }));
    chunk.Int64("host_duration_ns", Durations(rows, &Step::host_duration));
    chunk.Bool("used",
               Each(rows, [](const Step& row) { return static_cast<uint8_t>(row.used()); }));
    chunk.Text("why_unused", Each(rows, [](const Step& row) {
                 return row.used() ? std::string_view() : NameOf(row.why_unused);
               }));
  });
}

TableData FindingsTable(const Opened& opened) {
  return Make(opened, [&](ChunkMaker& chunk, const Trace&, size_t i) {
    const std::vector<Finding>& rows = opened->study().advice()[i].findings;
    chunk.Text("rule", Each(rows, [](const Finding& row) { return row.rule; }));
    chunk.Text("severity", Each(rows, [](const Finding& row) { return NameOf(row.severity); }));
    chunk.Text("confidence", Each(rows, [](const Finding& row) { return NameOf(row.confidence); }));
    chunk.Int64("saving_lo_ns", Each(rows, [](const Finding& row) { return row.saving.lo.ns; }));
    chunk.Int64("saving_hi_ns", Each(rows, [](const Finding& row) { return row.saving.hi.ns; }));
    constexpr Language kEnglish = Language::kEnglish;
    chunk.OwnText("title",
                  Each(rows, [](const Finding& row) { return Render(row.title, kEnglish); }));
    chunk.OwnText("sentence",
                  Each(rows, [](const Finding& row) { return Render(row.sentence, kEnglish); }));
    chunk.OwnText("fix",
                  Each(rows, [](const Finding& row) { return RenderLines(row.fix, kEnglish); }));
  });
}

TableMaker FindTable(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, TableMaker>, 7> kTables{{
      {"slices", SlicesTable},
      {"tracks", TracksTable},
      {"ops", OpsTable},
      {"ops_by_shape", OpsByShapeTable},
      {"kernels", KernelsTable},
      {"steps", StepsTable},
      {"findings", FindingsTable},
  }};
  for (const auto& [known, maker] : kTables) {
    if (known == name) return maker;
  }
  return nullptr;
}

}  // namespace stepscope::python
