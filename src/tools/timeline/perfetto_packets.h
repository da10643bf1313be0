#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/byte_sink.h"

namespace stepscope::perfetto {

struct Annotation {
  std::string_view name;
  std::string_view json;  // a number stays a number, all else is text
};

// Writes trace packets of one sequence; strings are interned when first used.
class Packets {
 public:
  explicit Packets(ByteSink& sink) : sink_(sink) {}

  void Process(uint64_t uuid, int64_t pid, std::string_view name, std::string_view labels);
  // Rows hang from their process; numbers of threads can repeat over devices, so that rows are
  // plain tracks with a name.
  void Row(uint64_t uuid, uint64_t parent, std::string_view name);
  void Counter(uint64_t uuid, uint64_t parent, std::string_view name);

  struct Slice {
    uint64_t track = 0;
    int64_t time = 0;
    std::string_view category;
    std::string_view name;
    std::vector<Annotation> annotations;
    std::vector<uint64_t> flows;
    std::vector<uint64_t> ending_flows;
  };
  void Begin(const Slice& slice);
  void End(uint64_t track, int64_t time);
  void Instant(const Slice& slice);
  void Value(uint64_t track, int64_t time, int64_t value);
  void Value(uint64_t track, int64_t time, double value);
  // All that is left; the first fault of any write.
  Result<void> Finish();

 private:
  using Strings = std::unordered_map<std::string, uint64_t>;
  uint64_t Intern(Strings& strings, uint32_t field, std::string_view text);
  void Event(uint32_t type, const Slice& slice);
  void Packet(std::optional<int64_t> time, uint32_t field, std::string_view message);
  void Flush();

  ByteSink& sink_;
  std::string out_;
  std::string interned_;  // new strings, to go with the next packet
  Strings names_;
  Strings categories_;
  Strings annotation_names_;
  bool first_ = true;
  std::optional<Error> fault_;
};

}  // namespace stepscope::perfetto
