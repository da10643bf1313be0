#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "read/protobuf/wire.h"

namespace stepscope {

// Where a message of a file was damaged. One fault is counted once, however deep it lies: a cut
// shows at every level around it.
class MessageFaults {
 public:
  // All messages walked must be views into `file`.
  MessageFaults(std::string_view file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  void Record(const WireReader& reader, std::string_view message, std::string_view what);
  // A row that was dropped because it is incomplete.
  void Dropped(std::string_view row, std::string_view what);
  // A field with a number the reader has no name for.
  void Unknown(const WireReader& reader, std::string_view message, std::string_view what);

 private:
  uint64_t OffsetOf(std::string_view part) const {
    return static_cast<uint64_t>(part.data() - file_.data());
  }

  std::string_view file_;
  Diagnostics& diagnostics_;
  bool cut_seen_ = false;
};

// Calls on_field(reader) for every field of the message; true if all of it could be read. A field
// that the end of the file cuts is delivered too, with the bytes that are there, so that containers
// keep what they hold; whoever reads a row asks the return value whether it is whole.
template <typename OnField>
bool WalkMessage(std::string_view message, std::string_view what, MessageFaults& faults,
                 OnField&& on_field) {
  WireReader reader(message);
  while (reader.Next()) on_field(reader);
  if (reader.ok()) return true;
  if (reader.cut()) on_field(reader);
  faults.Record(reader, message, what);
  return false;
}

// The numbers of a repeated integer field, packed or not.
void AppendIntegers(const WireReader& reader, std::vector<int64_t>& numbers);
void AppendFloats(const WireReader& reader, std::vector<float>& numbers);

}  // namespace stepscope
