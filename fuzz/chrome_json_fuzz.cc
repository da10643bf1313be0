// Any bytes as a trace document, in chunks of a size that the first byte chooses. Both instruction
// sets must give the same counts, and nothing may be lost.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "analyze/report.h"
#include "read/chrome_json/chrome_json_reader.h"

namespace {

using namespace stepscope;

class BytesSource final : public ByteSource {
 public:
  explicit BytesSource(std::span<const char> bytes) : bytes_(bytes) {}
  Result<size_t> Read(std::span<char> into) override {
    const size_t size = std::min(into.size(), bytes_.size());
    if (size > 0) std::memcpy(into.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return size;
  }
  std::optional<uint64_t> compressed_size() const override { return std::nullopt; }
  uint64_t compressed_position() const override { return 0; }

 private:
  std::span<const char> bytes_;
};

Result<Trace> Read(std::span<const char> bytes, const chrome_json::EventListOptions& options,
                   TaskPool& pool, Diagnostics& diagnostics) {
  OpenedSource source{std::make_unique<BytesSource>(bytes), Compression::kNone, "fuzz"};
  return chrome_json::ReadChromeJson(std::move(source), options, pool, diagnostics);
}

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  static TaskPool pool(1);
  chrome_json::EventListOptions options;
  options.chunk_bytes = size_t{1} << (5 + data[0] % 12);
  options.largest_event = options.chunk_bytes * 8;
  const std::span<const char> bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Diagnostics diagnostics, portable_diagnostics;
  const Result<Trace> trace = Read(bytes, options, pool, diagnostics);
  options.instructions = chrome_json::InstructionSet::kPortable;
  const Result<Trace> portable = Read(bytes, options, pool, portable_diagnostics);
  Require(trace.has_value() == portable.has_value());
  if (!trace) return 0;
  Require(trace->events.in_file == portable->events.in_file);
  Require(trace->events.diagnosed == portable->events.diagnosed);
  Require(trace->events.diagnosed <= trace->events.in_file);
  Require(trace->slices.size() == portable->slices.size());
  Require(trace->slices.start == portable->slices.start);
  Require(trace->slices.kind == portable->slices.kind);
  Analyze(LinkTrace(*trace, {}, pool), diagnostics, {}, pool);
  return 0;
}
