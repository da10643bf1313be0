// Any bytes as a TFRecord file, read in pieces of a size that the first byte chooses: every byte
// must end up in a record, in a damaged place or after the cut. Records that hold go to the readers
// of Event and Example.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "io/tfrecord.h"
#include "read/tfevents/event.h"
#include "tools/data/read/example.h"

namespace {

using namespace stepscope;

class BytesSource final : public ByteSource {
 public:
  BytesSource(std::span<const char> bytes, size_t piece) : bytes_(bytes), piece_(piece) {}
  Result<size_t> Read(std::span<char> into) override {
    const size_t size = std::min({into.size(), bytes_.size(), piece_});
    if (size > 0) std::memcpy(into.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return size;
  }
  std::optional<uint64_t> compressed_size() const override { return std::nullopt; }
  uint64_t compressed_position() const override { return 0; }

 private:
  std::span<const char> bytes_;
  size_t piece_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::span<const char> bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  BytesSource source(bytes, size_t{1} << (data[0] % 16));
  RecordStream stream(source);
  uint64_t accounted = 0;
  for (;;) {
    const RecordStream::Outcome outcome = stream.Next();
    if (outcome == RecordStream::Outcome::kEnd) break;
    if (outcome == RecordStream::Outcome::kDamage) {
      accounted += stream.damage().skipped;
      continue;
    }
    accounted += stream.data().size() + kRecordHeaderBytes + kRecordFooterBytes;
    Event event;
    (void)ParseEvent(stream.data(), event);
    (void)ParseExample(stream.data());
  }
  if (accounted + stream.cut_bytes() != bytes.size()) std::abort();
  return 0;
}
