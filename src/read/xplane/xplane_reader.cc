#include "read/xplane/xplane_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "read/file_type.h"
#include "read/open_options.h"
#include "read/xplane/frees.h"
#include "read/xplane/graph_kernels.h"
#include "read/xplane/hlo_ops.h"
#include "read/xplane/hlo_proto.h"
#include "read/xplane/line.h"
#include "read/xplane/line_decoder.h"
#include "read/xplane/module_runs.h"
#include "read/xplane/plane_context.h"
#include "read/xplane/run_facts.h"
#include "read/xplane/space.h"
#include "trace/trace_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using namespace xplane;

// A number of its own for each device plane: GPU 1 is 1, sparse cores and custom devices come
// after.
void NumberDevices(std::deque<PlaneContext>& contexts) {
  int32_t next = 0;
  const auto keeps_number = [](const PlaneContext& context) {
    return (context.parsed.type == PlaneType::kGpu || context.parsed.type == PlaneType::kTpu) &&
           !context.parsed.sparse_core;
  };
  for (const PlaneContext& context : contexts) {
    if (keeps_number(context)) next = std::max(next, context.parsed.index + 1);
  }
  for (PlaneContext& context : contexts) {
    if (context.parsed.is_device() && !keeps_number(context)) context.device = next++;
  }
}

std::vector<Device> DevicesOf(const std::deque<PlaneContext>& contexts) {
  std::vector<Device> devices;
  for (const PlaneContext& context : contexts) {
    if (context.parsed.is_device()) devices.push_back(DescribeDevice(context));
  }
  std::ranges::sort(devices, [](const Device& a, const Device& b) {
    return std::pair(a.type, a.index) < std::pair(b.type, b.index);
  });
  return devices;
}

std::unexpected<Error> NothingToShow(std::string_view bytes, const Diagnostics& diagnostics,
                                     const std::string& path) {
  const FileType type = FileTypeOf(bytes.substr(0, kSniffedBytes));
  if (type != FileType::kXPlane && type != FileType::kUnknown) {
    return Fail(ErrorCode::kDamaged, Say("read.not-xplane", NameOf(type)), path);
  }
  for (const auto& entry : diagnostics.entries()) {
    if (entry.examples.empty()) continue;
    const auto& example = entry.examples.back();  // of the outermost message
    Error error{ErrorCode::kDamaged, Say("read.xplane-damaged", example.text), path, example.offset,
                Say("read.copy-binary")};
    return std::unexpected(std::move(error));
  }
  return Fail(ErrorCode::kDamaged, Say("read.no-planes"), path, Say("read.record-while-running"));
}

// What a compiler records inside a compilation (its passes) is not an annotation of the user.
void KeepCompilersOwnSpans(Trace& trace, TaskPool& pool) {
  Slices& slices = trace.slices;
  pool.ForEach(trace.tracks.size(), [&](size_t t) {
    TimeNs until{std::numeric_limits<int64_t>::min()};
    for (uint32_t row = trace.tracks[t].slices.first; row < trace.tracks[t].slices.last; ++row) {
      const Kind kind = slices.kind[row];
      if (kind == Kind::kCompile) {
        until = std::max(until, slices.end(row));
      } else if (kind == Kind::kAnnotation && slices.start[row] < until) {
        slices.kind[row] = Kind::kOther;
      }
    }
  });
}

// All lines of all planes, cut into chunks that the pool reads.
class XPlaneReading {
 public:
  XPlaneReading(const SpaceBytes& file, std::deque<PlaneContext>& contexts, TaskPool& pool,
                const std::stop_token& stop)
      : file_(file), pool_(pool), stop_(stop) {
    for (PlaneContext& context : contexts) {
      for (const std::string_view bytes : context.plane->lines) pieces_.push_back({context, bytes});
    }
  }

  void Scan(Diagnostics& diagnostics) {
    std::vector<Diagnostics> found(pieces_.size());
    std::vector<uint32_t> by_size(pieces_.size());
    std::iota(by_size.begin(), by_size.end(), 0U);
    std::ranges::stable_sort(by_size, std::greater<>(),
                             [&](uint32_t i) { return pieces_[i].bytes.size(); });
    pool_.ForEach(pieces_.size(), [&](size_t i) {
      LineInPlane& piece = pieces_[by_size[i]];
      piece.line = ScanLine(piece.bytes, file_, piece.context.memory_events, found[by_size[i]]);
    });
    for (const Diagnostics& of_line : found) diagnostics.Merge(of_line);
    for (LineInPlane& piece : pieces_) {
      if (piece.context.parsed.type == PlaneType::kTpu) {
        AddModuleRuns(piece.line, file_, piece.context);
      };
    }
    for (LineInPlane& piece : pieces_) SortModuleRuns(piece.context);
  }

  void CountByPlane(EventCounts& counts) const {
    for (const LineInPlane& piece : pieces_) {
      counts.by_plane[std::string(piece.context.plane->name)] += piece.line.events();
    }
  }

  // Blocks in file order; their spans go to the slices, args of device work to their table.
  std::vector<EventBlock> Decode(Slices& slices, DeviceTable& device_args) {
    std::vector<Task> tasks;
    uint64_t rows = 0;
    uint64_t device_rows = 0;
    for (const LineInPlane& piece : pieces_) {
      const bool on_device = HasDeviceWork(piece.context, piece.line);
      for (size_t i = 0; i < piece.line.chunks.size(); ++i) {
        const uint64_t spans = piece.line.chunks[i].spans;
        const uint64_t room = on_device ? spans : 0;
        tasks.push_back({&piece, i, static_cast<uint32_t>(rows), device_rows});
        rows += spans;
        device_rows += room;
      }
    }
    Resize(rows, slices, device_rows, device_args);
    std::vector<EventBlock> blocks(tasks.size());
    pool_.ForEach(tasks.size(), [&](size_t t) {
      if (stop_.stop_requested()) return;
      const Task& task = tasks[t];
      const Chunk& chunk = task.piece->line.chunks[task.chunk];
      blocks[t] = DecodeChunk(task.piece->context, task.piece->line, chunk, file_, task.chunk == 0,
                              {slices, task.row, device_args, task.device_row});
    });
    CloseGaps(tasks, blocks, device_args);
    return blocks;
  }

 private:
  struct LineInPlane {
    PlaneContext& context;
    std::string_view bytes;
    Line line;
  };

  struct Task {
    const LineInPlane* piece;
    size_t chunk;
    uint32_t row;
    size_t device_row;
  };

  // The columns that reading fills. They are allocated in parallel, because fresh memory costs more
  // than anything else here.
  void Resize(size_t rows, Slices& slices, size_t device_rows, DeviceTable& device_args) {
    const std::array<std::function<void()>, 8> columns = {
        [&] { device_args.Resize(device_rows); }, [&] { slices.start.resize(rows); },
        [&] { slices.duration.resize(rows); },    [&] { slices.name.resize(rows); },
        [&] { slices.args.resize(rows); },        [&] { slices.event.resize(rows); },
        [&] { slices.kind.resize(rows); },        [&] { slices.flags.resize(rows); }};
    pool_.ForEach(columns.size(), [&](size_t i) { columns[i](); });
  }

  // Where a chunk had room for more args than it has.
  static void CloseGaps(std::span<const Task> tasks, std::span<const EventBlock> blocks,
                        DeviceTable& device_args) {
    size_t to = 0;
    for (size_t t = 0; t < tasks.size(); ++t) {
      const size_t count = blocks[t].placed_device_args;
      if (to != tasks[t].device_row) device_args.MoveDown(tasks[t].device_row, count, to);
      to += count;
    }
    device_args.Erase(to);
  }

  const SpaceBytes& file_;
  TaskPool& pool_;
  const std::stop_token& stop_;
  std::vector<LineInPlane> pieces_;
};

}  // namespace

Result<Trace> ReadXPlane(const FileBytes& file, const std::string& path, TaskPool& pool,
                         Diagnostics& diagnostics, const std::stop_token& stop) {
  const SpaceBytes bytes(std::string_view(file.bytes().data(), file.bytes().size()));
  return ReadXPlane(bytes, path, pool, diagnostics, stop);
}

Result<Trace> ReadXPlane(const SpaceBytes& file, const std::string& path, TaskPool& pool,
                         Diagnostics& diagnostics, const std::stop_token& stop) {
  const std::string_view bytes = file.all();
  const Space space = ReadSpace(bytes, diagnostics);
  const bool anything = std::ranges::any_of(
      space.planes, [](const Plane& plane) { return !plane.name.empty() && !plane.lines.empty(); });
  if (!anything) return NothingToShow(bytes, diagnostics, path);

  const std::vector<HloModule> modules = ModulesOf(space);
  const HloNames hlo = NamesOfHlo(space, modules);
  std::deque<PlaneContext> contexts;
  for (const Plane& plane : space.planes) {
    contexts.push_back(MakePlaneContext(plane, hlo));
    contexts.back().order = static_cast<uint32_t>(contexts.size());
  }
  NumberDevices(contexts);

  EventCounts counts;
  XPlaneReading reading(file, contexts, pool, stop);
  reading.Scan(diagnostics);
  for (const Plane& plane : space.planes) counts.by_plane[std::string(plane.name)];
  reading.CountByPlane(counts);
  Slices slices;
  DeviceTable device_args;
  std::vector<EventBlock> blocks = reading.Decode(slices, device_args);
  if (stop.stop_requested()) return std::unexpected(Interrupted(path));
  SizeFrees(blocks);
  TraceBuilder builder;
  builder.Adopt(std::move(slices), std::move(device_args));
  for (EventBlock& block : blocks) builder.Append(std::move(block));

  ReportWhatTheProfileSays(space, diagnostics);
  const ProfileClock clock = ClockOf(space);
  Trace trace = std::move(builder).Build(FactsOf(space), DevicesOf(contexts), std::move(counts),
                                         {clock.known, clock.base_ns}, pool, diagnostics);
  KeepCompilersOwnSpans(trace, pool);
  NameGraphKernels(modules, trace);
  AddHloOps(space, modules, trace);
  trace.path = path;
  return trace;
}

}  // namespace stepscope
