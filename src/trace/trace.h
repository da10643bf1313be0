#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/ids.h"
#include "base/string_table.h"
#include "base/time.h"
#include "trace/device_table.h"
#include "trace/format.h"
#include "trace/kind.h"
#include "trace/names.h"
#include "trace/recorded.h"

namespace stepscope {

// ---- Spans
// -----------------------------------------------------------------------------------------------------------

// Set in Slices::flags.
enum SliceFlag : uint8_t {
  kUnfinished = 1,    // a begin without an end, or finished:"false"
  kKeptOutOfSums = 2  // absurd duration: shown, never added up (its duration column is 0; the file
                      // has the claim)
};

// Every span of the profile, one row each, ordered by (track, start, longer first, file order): a
// track is one contiguous range and a parent comes before its children. Columns, because a pass
// touches two or three of them. 36 bytes per row; the rest of an event stays in the file and is
// read again for the details pane.
struct Slices {
  std::vector<TimeNs> start;  // since the trace's first event
  std::vector<DurationNs> duration;
  std::vector<StringId> name;
  std::vector<SliceId> parent;  // kNoSlice at the top of a lane
  std::vector<uint32_t> args;   // row in the args table of its kind (below), or kNoRow
  std::vector<uint32_t> event;  // ordinal in the file: the event id of the JSON contract
  std::vector<uint16_t> depth;  // 0 at the top of a lane; saturates
  std::vector<Kind> kind;
  std::vector<uint8_t> flags;

  uint32_t size() const { return static_cast<uint32_t>(start.size()); }
  TimeNs end(uint32_t row) const { return start[row] + duration[row]; }
};
inline constexpr size_t kBytesPerSlice = 8 + 8 + 4 + 4 + 4 + 4 + 2 + 1 + 1;
static_assert(kBytesPerSlice <= 40);

// A half-open range of rows.
struct RowRange {
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t size() const { return last - first; }
  bool empty() const { return first == last; }
};

// ---- Args that analyses use; all others stay in the file
// ---------------------------------------------------------------

// Which of the tables below Slices::args points into; readers fill and analyses read by it.
enum class ArgsTable : uint8_t { kOp, kCall, kDevice, kFrame };
ArgsTable TableOf(Kind kind);

// kOp, kAnnotation, kStep and all kinds not named below: what the host side says about a span.
struct OpArgs {
  uint64_t external_id = 0;
  int64_t sequence = -1;        // autograd sequence number, -1: none
  int32_t forward_thread = -1;  // "Fwd thread id"
  StringId input_dims =
      kEmptyString;  // the text of the shapes as the file spells it, white space removed
  StringId input_types = kEmptyString;
  StringId stack =
      kEmptyString;  // call stack or module hierarchy, frames joined by ';', as the file spells it
};

// kCall.
struct CallArgs {
  uint64_t correlation = kNoCorrelation;
  uint64_t external_id = 0;
};

// Device work has a table of its own: trace/device_table.h.

// What a communication kernel or op says about itself.
struct CollectiveArgs {
  StringId name = kEmptyString;  // "allreduce", …
  StringId dtype = kEmptyString;
  StringId group = kEmptyString;
  int64_t in_elements = -1;
  int64_t out_elements = -1;
  int64_t bytes = -1;
  int32_t group_size = -1;
  int64_t sequence = -1;
  uint64_t id = 0;                        // the same on all ranks of a call; 0: not recorded
  int32_t source = -1, destination = -1;  // ranks of a send or receive; -1: not recorded
};

// kPythonFrame, kModuleFrame.
struct FrameArgs {
  int64_t id = -1;
  int64_t parent_id = -1;
  int64_t module_id = -1;
};

// ---- Where spans live
// ---------------------------------------------------------------------------------------------------

struct Process {
  std::string key;  // pid as the file spells it
  StringId name = kEmptyString;
  StringId labels = kEmptyString;
  int64_t sort_index = 0;
};

enum class TrackKind : uint8_t { kThread, kStream, kAsync, kOther };

// One row of a timeline: a thread, a device stream, an asynchronous scope. Spans that overlap
// others of their row without nesting are on a further lane: a track of its own with the same
// process and key.
struct Track {
  ProcessId process{0};
  std::string key;  // tid as the file spells it; opaque, negative and string ids are kept apart
  StringId name = kEmptyString;
  TrackKind kind = TrackKind::kThread;
  uint32_t lane = 0;
  int32_t device = -1;  // for kStream: DeviceArgs::device
  int32_t stream = -1;
  int64_t sort_index = 0;
  RowRange slices;
};

enum class DeviceType : uint8_t { kGpu, kTpu, kCpu, kOther };

struct Device {
  DeviceType type = DeviceType::kGpu;
  int32_t index = 0;  // N of gpu:N
  std::string name;
  std::optional<int64_t> memory_bytes;
  std::string compute_capability;  // "9.0"
  std::optional<int32_t> sm_count;
};
std::string DeviceIdOf(DeviceType type, int32_t index);  // "gpu:0"

// ---- Everything that is not a span
// ---------------------------------------------------------------------------------------

enum class FlowPhase : uint8_t { kStart, kStep, kEnd };
struct Flow {
  uint64_t id = 0;  // hash of the text when the id is no number
  TimeNs time;
  StringId name =
      kEmptyString;  // category and name agree in all dialects that matter; the name is kept
  TrackId track = kNoTrack;
  uint32_t event = 0;
  FlowPhase phase = FlowPhase::kStart;
  bool binds_enclosing = false;  // bp:"e"
};

struct Instant {
  TimeNs time;
  StringId name = kEmptyString;
  TrackId track = kNoTrack;
  uint32_t event = 0;
};

struct CounterSample {
  TimeNs time;
  double value = 0;
  StringId name = kEmptyString;
  StringId series = kEmptyString;
  ProcessId process{0};
};

// One allocation (bytes > 0) or free (bytes < 0).
struct Allocation {
  TimeNs time;
  int64_t bytes = 0;
  int64_t total_allocated = -1;  // the allocator's own figures after the event, -1: not recorded
  int64_t total_reserved = -1;
  uint64_t address = 0;
  TrackId track = kNoTrack;  // thread that asked; first lane
  uint32_t event = 0;
  int32_t device = 0;
  DeviceType device_type = DeviceType::kGpu;
  StringId op = kEmptyString;         // who asked, where the file says so (XPlane, RunMetadata)
  StringId allocator = kEmptyString;  // whose figures the totals are; a device may have several
};

// What a compiled XLA module says of one of its instructions. Device events name it
// (DeviceArgs::op), host spans of XLA's CPU runtime are called after it.
struct HloOp {
  StringId module = kEmptyString;
  StringId name = kEmptyString;
  StringId category = kEmptyString;  // XLA's category where recorded, else the opcode
  StringId op_name = kEmptyString;   // "jit(step)/jit(main)/add": the framework's call path
  StringId source = kEmptyString;    // "train.py:31"
  int64_t flops = -1;                // of one execution; -1: unknown
  int64_t bytes = -1;
};

// ---- What the file says about itself
// --------------------------------------------------------------------------------------

// Facts that the file states; nothing here is guessed, and environment variables never get here.
struct RunFacts {
  Format format = Format::kChrome;
  std::string framework;  // "PyTorch", "TensorFlow", "JAX", "ONNX Runtime" or empty
  std::string framework_version;
  std::string host;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::optional<int64_t> start_unix_ns;  // epoch time of the earliest event
  bool has_shapes = false;               // recorded, whether or not any op had them
  bool has_stacks = false;
  bool has_modules = false;
  bool has_memory = false;
  std::map<std::string, std::string>
      notes;  // other top-level scalars worth showing (cuda_driver_version …)
};

// A place at which the file can be entered again: the event with this ordinal is the first at or
// after this byte of the (decompressed) file, white space and commas aside. One per block of the
// reader, so that any event is found by reading a few megabytes.
struct EventPlace {
  uint64_t event = 0;
  uint64_t offset = 0;
};

// in_file == stored + diagnosed, always. Keys are spelt as in the file.
struct EventCounts {
  uint64_t in_file = 0;
  uint64_t diagnosed = 0;
  std::map<std::string, uint64_t> by_phase;
  std::map<std::string, uint64_t> complete_by_category;
  std::map<std::string, uint64_t> by_plane;
  uint64_t stored() const { return in_file - diagnosed; }
};

// ---- The trace
// -------------------------------------------------------------------------------------------------------------

// One process's (rank's, host's) profile as tables. Built by TraceBuilder, immutable afterwards,
// safe to read from many threads. Owns all strings. About 36 bytes per span plus 16 to 40 for its
// args.
struct Trace {
  std::string path;                      // as the user gave it; "-" for standard input
  std::vector<std::string> other_paths;  // it was read from as well: more runs, the graph
  RunFacts facts;
  EventCounts events;
  StringTable strings;
  std::vector<NameTraits> traits;  // by StringId: what each name says
  std::vector<Process> processes;
  std::vector<Track> tracks;    // slices of track t are slices[t.slices.first .. t.slices.last)
  std::vector<Device> devices;  // by type, then index; only those the file names or uses
  Slices slices;
  std::vector<OpArgs> op_args;
  std::vector<CallArgs> call_args;
  DeviceTable device_args;
  std::vector<CollectiveArgs> collectives;
  std::vector<FrameArgs> frame_args;
  std::vector<Flow> flows;              // by time, then file order
  std::vector<Instant> instants;        // by time, then file order
  std::vector<CounterSample> counters;  // by (process, name, series, time, file order)
  std::vector<Allocation> allocations;  // by time, then file order
  std::vector<EventPlace> places;       // by event; empty where the format has none
  std::vector<HloOp> hlo_ops;           // by module, then name; where the profile has its modules
  Recorded recorded;                    // beside it, where `stepscope record` made the profile
  DurationNs span;                      // first start to last end over everything with a time

  std::string_view Name(uint32_t slice) const { return strings[slices.name[slice]]; }
  const NameTraits& Traits(uint32_t slice) const { return traits[Index(slices.name[slice])]; }
  // The track a slice is on: O(log tracks).
  TrackId TrackOf(uint32_t slice) const;
  // Args of a device slice; the slice must be device work or kSync with args.
  DeviceArgs DeviceOf(uint32_t slice) const { return device_args[slices.args[slice]]; }
};

// What a path holds: one Trace per process, and what could not be read.
struct Profile {
  std::vector<std::string> paths;
  std::vector<Trace> traces;
  std::vector<Diagnostics> diagnostics;  // one per trace
};

}  // namespace stepscope
