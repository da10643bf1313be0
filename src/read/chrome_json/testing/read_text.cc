#include "read/chrome_json/testing/read_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "read/chrome_json/chrome_json_reader.h"

namespace stepscope::chrome_json {
namespace {

class TextSource final : public ByteSource {
 public:
  TextSource(std::string text, std::optional<Error> fault)
      : text_(std::move(text)), fault_(std::move(fault)) {}
  Result<size_t> Read(std::span<char> into) override {
    const size_t bytes = std::min(into.size(), text_.size() - at_);
    if (bytes > 0) std::memcpy(into.data(), text_.data() + at_, bytes);
    at_ += bytes;
    if (bytes == 0 && fault_) return std::unexpected(*std::exchange(fault_, std::nullopt));
    return bytes;
  }
  std::optional<uint64_t> compressed_size() const override { return text_.size(); }
  uint64_t compressed_position() const override { return at_; }

 private:
  const std::string text_;
  std::optional<Error> fault_;
  size_t at_ = 0;
};

}  // namespace

OpenedSource SourceOf(std::string text, std::optional<Error> fault) {
  return {std::make_unique<TextSource>(std::move(text), std::move(fault)), Compression::kNone, "t"};
}

ReadAnswer ReadText(std::string text, unsigned threads, const EventListOptions& options) {
  TaskPool pool(threads);
  Diagnostics diagnostics;
  Result<Trace> trace = ReadChromeJson(SourceOf(std::move(text)), options, pool, diagnostics);
  return {std::move(trace), std::move(diagnostics)};
}

std::string Dump(const Trace& trace) {
  std::string out = fmt::format(
      "{} in {} diagnosed {} span {} start {}\n", NameOf(trace.facts.format), trace.events.in_file,
      trace.events.diagnosed, trace.span.ns, trace.facts.start_unix_ns.value_or(-1));
  const auto add = [&]<typename... T>(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
  };
  for (const auto& [phase, count] : trace.events.by_phase) add("{}={} ", phase, count);
  for (const auto& [name, count] : trace.events.complete_by_category) add("{}={} ", name, count);
  const auto text = [&](StringId id) { return trace.strings[id]; };
  for (const Process& p : trace.processes)
    add("process {} {} {}\n", p.key, text(p.name), p.sort_index);
  for (const Track& t : trace.tracks) {
    add("track {} {} {} kind {} lane {} device {} stream {} rows {}..{}\n", Index(t.process), t.key,
        text(t.name), static_cast<int>(t.kind), t.lane, t.device, t.stream, t.slices.first,
        t.slices.last);
  }
  const Slices& s = trace.slices;
  for (uint32_t i = 0; i < s.size(); ++i) {
    add("{} {}+{} {} {} parent {} depth {} args {} event {} flags {}\n", i, s.start[i].ns,
        s.duration[i].ns, trace.Name(i), NameOf(s.kind[i]), Index(s.parent[i]), s.depth[i],
        s.args[i], s.event[i], s.flags[i]);
  }
  for (const OpArgs& a : trace.op_args) {
    add("op {} {} {} {} {} {}\n", a.external_id, a.sequence, a.forward_thread, text(a.input_dims),
        text(a.input_types), text(a.stack));
  }
  for (const CallArgs& a : trace.call_args) add("call {} {}\n", a.correlation, a.external_id);
  for (const DeviceArgs& a : trace.device_args) {
    add("device {} {} {} {} {} {} {} {} {} {} {} {}\n", a.correlation, a.external_id, a.bytes,
        a.grid[0], a.block[0], a.registers, a.device, a.stream, a.shared_memory, a.blocks_per_sm,
        a.graph_node, a.slice);
  }
  for (const Flow& f : trace.flows) {
    add("flow {} {} {} {} {} {}\n", f.id, f.time.ns, text(f.name), Index(f.track), f.event,
        static_cast<int>(f.phase));
  }
  for (const Instant& i : trace.instants) {
    add("instant {} {} {} {}\n", i.time.ns, text(i.name), Index(i.track), i.event);
  }
  for (const CounterSample& c : trace.counters) {
    add("counter {} {} {} {}\n", c.time.ns, text(c.name), text(c.series), c.value);
  }
  for (const Allocation& a : trace.allocations) {
    add("allocation {} {} {} {} {}\n", a.time.ns, a.bytes, a.total_allocated, a.device, a.event);
  }
  return out;
}

}  // namespace stepscope::chrome_json
