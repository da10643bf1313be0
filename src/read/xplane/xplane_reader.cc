#include "read/xplane/xplane_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "read/open.h"
#include "read/xplane/frees.h"
#include "read/xplane/hlo_ops.h"
#include "read/xplane/hlo_proto.h"
#include "read/xplane/line.h"
#include "read/xplane/line_decoder.h"
#include "read/xplane/module_runs.h"
#include "read/xplane/plane_context.h"
#include "read/xplane/run_facts.h"
#include "read/xplane/space.h"
#include "trace/trace_builder.h"

namespace stepscope {
namespace {

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
    return Fail(ErrorCode::kDamaged,
                fmt::format("This is a {}, not an XPlane profile.", NameOf(type)), path);
  }
  for (const auto& entry : diagnostics.entries()) {
    if (entry.examples.empty()) continue;
    const auto& example = entry.examples.back();  // of the outermost message
    Error error{ErrorCode::kDamaged,
                fmt::format("The XPlane profile is damaged: {}.", example.text), path,
                example.offset, "Copy the file again in binary mode, or record the profile again."};
    return std::unexpected(std::move(error));
  }
  return Fail(ErrorCode::kDamaged, "The XPlane profile holds no planes.", path,
              "Record it again while the program runs.");
}

// What a compiler records inside a compilation (its passes) is no annotation of the user's.
void KeepCompilersOwnSpans(Slices& slices) {
  std::vector<bool> compiles(slices.size(), false);
  for (uint32_t row = 0; row < slices.size(); ++row) {  // a parent comes before its children
    const SliceId parent = slices.parent[row];
    compiles[row] =
        slices.kind[row] == Kind::kCompile || (parent != kNoSlice && compiles[Index(parent)]);
    if (compiles[row] && slices.kind[row] == Kind::kAnnotation) slices.kind[row] = Kind::kOther;
  }
}

// Planes and lines in file order, their chunks read by the pool meanwhile.
class XPlaneReading {
 public:
  XPlaneReading(std::string_view file, TaskPool& pool, const std::stop_token& stop)
      : file_(file), pool_(pool), stop_(stop) {}

  void ReadPlane(PlaneContext& context, EventCounts& counts, Diagnostics& diagnostics) {
    const size_t first_line = lines_.size();
    for (const std::string_view bytes : context.plane->lines) {
      lines_.push_back(ScanLine(bytes, file_, diagnostics));
    }
    const auto begin = lines_.begin() + static_cast<ptrdiff_t>(first_line);
    if (context.parsed.type == PlaneType::kTpu) {
      for (auto line = begin; line != lines_.end(); ++line) AddModuleRuns(*line, context);
      SortModuleRuns(context);
    }
    uint64_t& planes_events = counts.by_plane[std::string(context.plane->name)];
    for (auto line = begin; line != lines_.end(); ++line) {
      planes_events += line->events();
      for (size_t i = 0; i < line->chunks.size(); ++i) Submit(context, *line, i);
    }
  }

  // Once the pool has no more to do.
  std::deque<EventBlock>& blocks() { return blocks_; }
  TraceBuilder Finish() {
    TraceBuilder builder;
    for (EventBlock& block : blocks_) builder.Append(std::move(block));
    return builder;
  }

 private:
  void Submit(const PlaneContext& context, const Line& line, size_t chunk) {
    EventBlock& block = blocks_.emplace_back();
    pool_.Submit([this, &context, &line, chunk, &block] {
      if (stop_.stop_requested()) return;
      block = DecodeChunk(context, line, line.chunks[chunk], file_, chunk == 0);
    });
  }

  std::string_view file_;
  TaskPool& pool_;
  const std::stop_token& stop_;
  std::deque<Line> lines_;  // deques: tasks keep references to members
  std::deque<EventBlock> blocks_;
};

}  // namespace

Result<Trace> ReadXPlane(const FileBytes& file, const std::string& path, TaskPool& pool,
                         Diagnostics& diagnostics, const std::stop_token& stop) {
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
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
  XPlaneReading reading(bytes, pool, stop);
  for (PlaneContext& context : contexts) reading.ReadPlane(context, counts, diagnostics);
  pool.Wait();
  if (stop.stop_requested()) return std::unexpected(Interrupted(path));

  SizeFrees(reading.blocks());
  TraceBuilder builder = reading.Finish();

  ReportWhatTheProfileSays(space, diagnostics);
  const ProfileClock clock = ClockOf(space);
  Trace trace = std::move(builder).Build(FactsOf(space), DevicesOf(contexts), std::move(counts),
                                         {clock.known, clock.base_ns}, pool, diagnostics);
  KeepCompilersOwnSpans(trace.slices);
  AddHloOps(space, modules, trace);
  trace.path = path;
  return trace;
}

}  // namespace stepscope
