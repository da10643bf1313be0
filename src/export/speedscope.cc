#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/stack_files.h"
#include "present/json_writer.h"

namespace stepscope::exported {
namespace {

constexpr size_t kBlock = 1 << 20;

class Speedscope {
 public:
  Speedscope(const Stacks& stacks, Weight weight, std::span<const SpeedscopeTrace> traces,
             ByteSink& sink)
      : stacks_(stacks), weight_(weight), traces_(traces), sink_(sink), json_(text_) {}

  Result<void> Write() {
    for (const Stacks::Node& node : stacks_.nodes()) {
      if (&node != stacks_.nodes().data()) FrameNumber(stacks_.FrameOf(node));
    }
    for (const SpeedscopeTrace& trace : traces_) {
      const Slices& slices = trace.rows->trace().slices;
      for (const StringId name : slices.name) FrameNumber(trace.rows->trace().strings[name]);
    }
    json_.BeginObject(JsonWriter::Layout::kLines);
    json_.Field("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.Field("exporter", "stepscope " STEPSCOPE_VERSION);
    WriteFrames();
    json_.Key("profiles");
    json_.BeginArray(JsonWriter::Layout::kLines);
    WriteSampled();
    for (size_t t = 0; t < traces_.size(); ++t) WriteTrace(t);
    json_.EndArray();
    json_.EndObject();
    text_ += '\n';
    Flush(0);
    return written_;
  }

 private:
  void Flush(size_t least) {
    if (text_.size() < least || !written_) return;
    written_ = sink_.Write(text_);
    text_.clear();
  }

  size_t FrameNumber(std::string_view name) {
    const StringId id = names_.Intern(name.empty() ? "(no name)" : name);
    return Index(id) - 1;  // 0 is the empty text
  }

  void WriteFrames() {
    json_.Key("shared");
    json_.BeginObject();
    json_.Key("frames");
    json_.BeginArray(JsonWriter::Layout::kLines);
    for (uint32_t id = 1; id < names_.size(); ++id) {
      const std::string_view name = names_[StringId{id}];
      const FrameParts parts = PartsOf(name);
      json_.BeginObject();
      json_.Field("name", parts.function.empty() ? name : parts.function);
      if (!parts.file.empty()) {
        json_.Field("file", parts.file);
        json_.Field("line", parts.line);
      }
      json_.EndObject();
      Flush(kBlock);
    }
    json_.EndArray();
    json_.EndObject();
  }

  // All stacks, added up: opens at once, however long the profile is.
  void WriteSampled() {
    std::vector<uint32_t> nodes;
    int64_t total = 0;
    for (uint32_t i = 1; i < stacks_.nodes().size(); ++i) {
      const int64_t value = ValueOf(stacks_.nodes()[i].own, weight_);
      if (value <= 0) continue;
      nodes.push_back(i);
      total += value;
    }
    const WeightName name = NameOf(weight_);
    json_.BeginObject();
    json_.Field("type", "sampled");
    json_.Field("name", fmt::format("all stacks, {}", name.name));
    json_.Field("unit", name.unit == "count" ? std::string_view("none") : name.unit);
    json_.Field("startValue", 0);
    json_.Field("endValue", total);
    json_.Key("samples");
    json_.BeginArray();
    for (const uint32_t node : nodes) {
      json_.BeginArray();
      for (const uint32_t frame : stacks_.PathOf(node)) {
        json_.Value(FrameNumber(stacks_.FrameOf(stacks_.nodes()[frame])));
      }
      json_.EndArray();
      Flush(kBlock);
    }
    json_.EndArray();
    json_.Key("weights");
    json_.BeginArray();
    for (const uint32_t node : nodes) json_.Value(ValueOf(stacks_.nodes()[node].own, weight_));
    json_.EndArray();
    json_.EndObject();
  }

  void WriteTrace(size_t index) {
    const Trace& trace = traces_[index].rows->trace();
    for (const Track& track : trace.tracks) {
      std::vector<uint32_t> shown;
      for (uint32_t i = track.slices.first; i < track.slices.last; ++i) {
        if (!traces_[index].selected || traces_[index].selected(i)) shown.push_back(i);
      }
      if (!shown.empty()) WriteTrack(index, track, shown);
    }
  }

  void WriteTrack(size_t index, const Track& track, const std::vector<uint32_t>& shown) {
    const Trace& trace = traces_[index].rows->trace();
    const Slices& slices = trace.slices;
    const std::string_view name = trace.strings[track.name];
    std::string title(name.empty() ? std::string_view(track.key) : name);
    if (track.lane > 0) title += fmt::format(" ({})", track.lane + 1);
    if (traces_.size() > 1) title = fmt::format("{}: {}", trace.path, title);
    json_.BeginObject();
    json_.Field("type", "evented");
    json_.Field("name", title);
    json_.Field("unit", "nanoseconds");
    json_.Field("startValue", slices.start[shown.front()].ns);
    int64_t end = 0;
    for (const uint32_t slice : shown) end = std::max(end, slices.end(slice).ns);
    json_.Field("endValue", end);
    json_.Key("events");
    json_.BeginArray();
    WriteEvents(trace, shown);
    json_.EndArray();
    json_.EndObject();
  }

  void WriteEvents(const Trace& trace, const std::vector<uint32_t>& shown) {
    const Slices& slices = trace.slices;
    struct Open {
      size_t frame;
      int64_t end;
    };
    std::vector<Open> open;
    const auto event = [&](const char* type, size_t frame, int64_t at) {
      json_.BeginObject();
      json_.Field("type", type);
      json_.Field("frame", frame);
      json_.Field("at", at);
      json_.EndObject();
    };
    const auto close_until = [&](int64_t time) {
      while (!open.empty() && open.back().end <= time) {
        event("C", open.back().frame, open.back().end);
        open.pop_back();
      }
    };
    for (const uint32_t slice : shown) {
      const int64_t start = slices.start[slice].ns;
      close_until(start);
      const size_t frame = FrameNumber(trace.strings[slices.name[slice]]);
      // What lasts longer than the span around it ends with it: the file wants balance.
      const int64_t own_end = slices.end(slice).ns;
      const int64_t end = open.empty() ? own_end : std::min(own_end, open.back().end);
      event("O", frame, start);
      open.push_back({frame, end});
      Flush(kBlock);
    }
    close_until(INT64_MAX);
  }

  const Stacks& stacks_;
  const Weight weight_;
  const std::span<const SpeedscopeTrace> traces_;
  ByteSink& sink_;
  std::string text_;
  JsonWriter json_;
  StringTable names_;
  Result<void> written_;
};

}  // namespace

Result<void> WriteSpeedscope(const Stacks& stacks, Weight weight,
                             std::span<const SpeedscopeTrace> traces, ByteSink& sink) {
  return Speedscope(stacks, weight, traces, sink).Write();
}

}  // namespace stepscope::exported
