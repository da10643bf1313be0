#include "read/perfetto/perfetto_reader.h"

#include <optional>
#include <utility>

#include "read/perfetto/packet_reader.h"
#include "read/perfetto/packet_walk.h"
#include "trace/trace_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using namespace perfetto;

class TraceReading {
 public:
  TraceReading(std::string_view file, const OpenOptions& options, bool joins)
      : file_(file),
        options_(options),
        packets_(block_, joins),
        reserve_at_(file.size() > kLargeFile ? file.data() + kFirstPart : nullptr) {}

  // False when reading was asked to stop.
  bool Run() {
    PacketWalk(options_, diagnostics_, [this](std::string_view packet) {
      if (reserve_at_ != nullptr && packet.data() > reserve_at_ &&
          packet.data() < file_.data() + file_.size()) {
        Reserve(packet.data());
      }
      return packets_.Read(packet);
    }).Run(file_);
    packets_.Finish();
    return !options_.stop.stop_requested();
  }
  // What is read does not count where this is false: read again without joining.
  bool in_order() const { return packets_.in_order(); }
  EventBlock& block() { return block_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const Clocks& clocks() const { return packets_.clocks(); }

 private:
  // After the first part of a large file: room for as many more of everything, because columns
  // that grow by doubling touch twice the memory.
  void Reserve(const char* at) {
    const double times =
        1.25 * static_cast<double>(file_.size()) / static_cast<double>(at - file_.data());
    const auto grow = [times](auto&... columns) {
      (columns.reserve(static_cast<size_t>(static_cast<double>(columns.size()) * times)), ...);
    };
    EventBlock& b = block_;
    grow(b.start, b.duration, b.name, b.track, b.event, b.args, b.kind, b.flags);
    grow(b.op_args, b.call_args, b.device_args, b.frame_args, b.halves, b.instants, b.counters);
    reserve_at_ = nullptr;
  }

  static constexpr size_t kLargeFile = size_t{16} << 20, kFirstPart = size_t{4} << 20;
  std::string_view file_;
  const OpenOptions& options_;
  Diagnostics diagnostics_;
  EventBlock block_;
  PacketReader packets_;
  const char* reserve_at_;  // null: not, or done
};

}  // namespace

Result<Trace> ReadPerfetto(std::string_view bytes, const std::string& path,
                           const OpenOptions& options, TaskPool& pool, Diagnostics& diagnostics) {
  std::optional<TraceReading> tried(std::in_place, bytes, options, true);
  if (!tried->Run()) return std::unexpected(Interrupted(path));
  if (!tried->in_order()) {
    tried.emplace(bytes, options, false);
    if (!tried->Run()) return std::unexpected(Interrupted(path));
  }
  TraceReading& reading = *tried;
  diagnostics.Merge(reading.diagnostics());
  if (reading.block().event_count == 0) {
    return Fail(ErrorCode::kDamaged, Say("read.perfetto-empty"), path, Say("read.perfetto-again"));
  }
  const std::optional<int64_t> unix_offset = reading.clocks().unix_offset_ns();
  TraceBuilder builder;
  builder.Append(std::move(reading.block()));
  RunFacts facts;
  facts.format = Format::kPerfetto;
  Trace trace = std::move(builder).Build(std::move(facts), {}, {},
                                         {unix_offset.has_value(), unix_offset.value_or(0)}, pool,
                                         diagnostics);
  trace.path = path;
  return trace;
}

}  // namespace stepscope
