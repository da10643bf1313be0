#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "export/stack_files.h"
#include "export/table_source.h"
#include "read/protobuf/wire_writer.h"

namespace stepscope::exported {
namespace {

enum ProfileField : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kDefaultSampleType = 14,
};
constexpr std::array kWeights{Weight::kDevice, Weight::kHost, Weight::kCalls, Weight::kBytes};

// Texts by the number of their first use; the empty one is 0.
class Texts {
 public:
  Texts() { Of(""); }
  uint64_t Of(std::string_view text) {
    const auto [at, added] = numbers_.try_emplace(ValidUtf8(text), texts_.size());
    if (added) texts_.push_back(&at->first);
    return at->second;
  }
  void WriteTo(WireWriter& profile) const {
    for (const std::string* text : texts_) profile.Bytes(kStringTable, *text);
  }

 private:
  std::map<std::string, uint64_t> numbers_;
  std::vector<const std::string*> texts_;
};

}  // namespace

std::string Pprof(const Stacks& stacks, Weight shown, int64_t start_unix_ns, int64_t span_ns) {
  std::string out;
  WireWriter profile(out);
  Texts texts;
  for (const Weight weight : kWeights) {
    std::string type;
    WireWriter writer(type);
    writer.Varint(1, texts.Of(NameOf(weight).name));
    writer.Varint(2, texts.Of(NameOf(weight).unit));
    profile.Bytes(kSampleType, type);
  }
  // A function a name, and one place in it: locations and functions have the same numbers.
  std::map<StringId, uint64_t> locations;
  std::string described;
  WireWriter descriptions(described);
  const auto location = [&](const Stacks::Node& node) {
    const auto [at, added] = locations.try_emplace(node.frame, locations.size() + 1);
    if (!added) return at->second;
    const FrameParts parts = PartsOf(stacks.FrameOf(node));
    std::string line, place, function;
    WireWriter line_writer(line), place_writer(place), function_writer(function);
    line_writer.Varint(1, at->second);
    line_writer.Varint(2, static_cast<uint64_t>(parts.line));
    place_writer.Varint(1, at->second);
    place_writer.Bytes(4, line);
    function_writer.Varint(1, at->second);
    function_writer.Varint(2, texts.Of(parts.function));
    function_writer.Varint(3, texts.Of(stacks.FrameOf(node)));
    function_writer.Varint(4, texts.Of(parts.file));
    descriptions.Bytes(kLocation, place);
    descriptions.Bytes(kFunction, function);
    return at->second;
  };
  for (uint32_t i = 1; i < stacks.nodes().size(); ++i) {
    const Weights& own = stacks.nodes()[i].own;
    if (own.calls == 0 && own.device_ns == 0 && own.host_ns == 0) continue;
    std::string path, values, sample;
    WireWriter path_writer(path), value_writer(values), sample_writer(sample);
    for (uint32_t node = i; node != 0; node = stacks.nodes()[node].parent) {
      path_writer.Raw(location(stacks.nodes()[node]));  // the leaf comes first
    }
    for (const Weight weight : kWeights) {
      value_writer.Raw(static_cast<uint64_t>(ValueOf(own, weight)));
    }
    sample_writer.Bytes(1, path);
    sample_writer.Bytes(2, values);
    profile.Bytes(kSample, sample);
  }
  out += described;
  const uint64_t shown_first = texts.Of(NameOf(shown).name);
  texts.WriteTo(profile);
  profile.Signed(kTimeNanos, start_unix_ns);
  profile.Signed(kDurationNanos, span_ns);
  profile.Varint(kDefaultSampleType, shown_first);
  return out;
}

}  // namespace stepscope::exported
