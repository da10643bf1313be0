// make_xplane IN.xplane.pb OUT.xplane.pb REPEATS: a large XSpace out of a real one, by repeating
// every line with shifted times, step numbers and correlation ids. Metadata planes stay as they
// are.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/byte_source.h"
#include "read/protobuf/wire.h"
#include "read/protobuf/wire_writer.h"
#include "read/xplane/event.h"
#include "read/xplane/space.h"
#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {
namespace {

struct Shifts {
  int64_t time_ps = 0;  // one repetition
  int64_t steps = 0;    // that one repetition holds
  int64_t correlations = 0;
};

bool IsShifted(std::string_view name) { return name == "step_num" || name == "correlation_id"; }

// Largest step number and correlation id, and the latest end.
Shifts Measure(const Space& space, const SpaceBytes& file) {
  Shifts shifts;
  Diagnostics ignored;
  int64_t first_step = INT64_MAX, last_step = INT64_MIN;
  for (const Plane& plane : space.planes) {
    for (const std::string_view bytes : plane.lines) {
      const Line line = ScanLine(bytes, file, {}, ignored);
      for (const Chunk& chunk : line.chunks) {
        ForEachEvent(file.Load(chunk.bytes), [&](std::string_view event) {
          EventHead head;
          if (!ReadHead(event, event.data() + event.size(), head)) return;
          shifts.time_ps = std::max(shifts.time_ps,
                                    line.timestamp_ns * 1000 + head.offset_ps + head.duration_ps);
          for (WireReader r(event); r.Next();) {
            if (r.field() != event_field::kStats) continue;
            Stat stat;
            if (!ReadStat(r.Bytes(), stat)) continue;
            const std::string_view name = plane.StatName(stat.metadata_id);
            const int64_t value = stat.value.Integer(0);
            if (name == "correlation_id")
              shifts.correlations = std::max(shifts.correlations, value);
            if (name == "step_num") {
              first_step = std::min(first_step, value);
              last_step = std::max(last_step, value);
            }
          }
        });
      }
    }
  }
  shifts.steps = last_step >= first_step ? last_step - first_step + 1 : 0;
  return shifts;
}

std::string ShiftStat(std::string_view bytes, int64_t by) {
  std::string out;
  WireWriter w(out);
  for (WireReader r(bytes); r.Next();) {
    const bool number = r.field() == stat_field::kInt64 || r.field() == stat_field::kUint64;
    w.Varint(r.field(), r.Unsigned() + (number ? static_cast<uint64_t>(by) : 0));
  }
  return out;
}

void WriteEvent(const Plane& plane, std::string_view event, const Shifts& shifts, int64_t round,
                std::string& line) {
  std::string out;
  WireWriter w(out);
  for (WireReader r(event); r.Next();) {
    if (r.field() == event_field::kOffsetPs) {
      w.Signed(r.field(), r.Signed() + round * shifts.time_ps);
    } else if (r.field() == event_field::kStats) {
      Stat stat;
      const bool sound = ReadStat(r.Bytes(), stat);
      const std::string_view name = plane.StatName(stat.metadata_id);
      const int64_t by = round * (name == "step_num" ? shifts.steps : shifts.correlations);
      w.Bytes(r.field(),
              sound && IsShifted(name) ? ShiftStat(r.Bytes(), by) : std::string(r.Bytes()));
    } else {
      w.Varint(r.field(), r.Unsigned());
    }
  }
  WireWriter(line).Bytes(line_field::kEvents, out);
}

std::string RepeatLine(const Plane& plane, std::string_view bytes, const Shifts& shifts,
                       int64_t repeats) {
  std::string line;
  WireWriter w(line);
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == line_field::kEvents) continue;
    r.type() == WireType::kLength ? w.Bytes(r.field(), r.Bytes())
                                  : w.Varint(r.field(), r.Unsigned());
  }
  for (int64_t round = 0; round < repeats; ++round) {
    for (WireReader r(bytes); r.Next();) {
      if (r.field() == line_field::kEvents) WriteEvent(plane, r.Bytes(), shifts, round, line);
    }
  }
  return line;
}

std::string RepeatPlane(const Plane& plane, std::string_view bytes, const Shifts& shifts,
                        int64_t repeats) {
  std::string out;
  WireWriter w(out);
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == plane_field::kLines) {
      w.Bytes(r.field(), RepeatLine(plane, r.Bytes(), shifts, repeats));
    } else if (r.type() == WireType::kLength) {
      w.Bytes(r.field(), r.Bytes());
    } else {
      w.Varint(r.field(), r.Unsigned());
    }
  }
  return out;
}

int Run(const char* in, const char* out_path, int64_t repeats) {
  const Result<FileBytes> file = ReadWhole(in);
  if (!file) return fmt::print(stderr, "{}: {}\n", in, InEnglish(file.error().sentence)), 1;
  const std::string_view bytes(file->bytes().data(), file->bytes().size());
  Diagnostics diagnostics;
  const Space space = ReadSpace(bytes, diagnostics);
  const Shifts shifts = Measure(space, SpaceBytes(bytes));
  std::string out;
  WireWriter w(out);
  size_t plane = 0;
  for (WireReader r(bytes); r.Next();) {
    w.Bytes(r.field(), r.field() == space_field::kPlanes
                           ? RepeatPlane(space.planes[plane++], r.Bytes(), shifts, repeats)
                           : std::string(r.Bytes()));
  }
  std::FILE* to = std::fopen(out_path, "wb");
  if (to == nullptr) return fmt::print(stderr, "cannot write {}\n", out_path), 1;
  const bool written = std::fwrite(out.data(), 1, out.size(), to) == out.size();
  return std::fclose(to) == 0 && written ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::xplane

int main(int argc, char** argv) {
  if (argc != 4) return fmt::print(stderr, "usage: make_xplane IN OUT REPEATS\n"), 2;
  return stepscope::xplane::Run(argv[1], argv[2], std::atoll(argv[3]));
}
