#include "io/tfrecord.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "io/crc32c.h"
#include "io/input_damage.h"
#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

static_assert(std::endian::native == std::endian::little);
constexpr size_t kLeastBuffer = size_t{64} << 10;
constexpr size_t kBuffer = size_t{256} << 10;  // stays in a core's cache

template <typename T>
T LoadLittle(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// How many of the next places hold a header of zeros, which no record has: the CRC of the length 0
// is not 0.
size_t ZeroHeadersAt(std::string_view bytes) {
  const size_t zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
  return zeros < kRecordHeaderBytes ? 0 : zeros - kRecordHeaderBytes + 1;
}

}  // namespace

bool HoldsRecordHeader(std::string_view bytes) {
  return bytes.size() >= kRecordHeaderBytes &&
         MaskCrc(Crc32c(bytes.substr(0, 8))) == LoadLittle<uint32_t>(bytes.data() + 8);
}

void AppendRecord(std::string_view data, std::string& out) {
  const uint64_t length = data.size();
  char header[kRecordHeaderBytes];
  std::memcpy(header, &length, sizeof length);
  const uint32_t length_crc = MaskCrc(Crc32c(std::string_view(header, sizeof length)));
  std::memcpy(header + sizeof length, &length_crc, sizeof length_crc);
  const uint32_t data_crc = MaskCrc(Crc32c(data));
  char footer[kRecordFooterBytes];
  std::memcpy(footer, &data_crc, sizeof data_crc);
  out.append(header, sizeof header).append(data).append(footer, sizeof footer);
}

Message SentenceOf(RecordDamage::Kind kind) {
  switch (kind) {
    case RecordDamage::Kind::kLengthCrc:
      return Say("io.record-length");
    case RecordDamage::Kind::kDataCrc:
      return Say("io.record-data");
    case RecordDamage::Kind::kTooLong:
      return Say("io.record-too-long");
    case RecordDamage::Kind::kCompressed:
      return Say("io.record-compressed");
  }
  std::unreachable();
}

RecordStream::RecordStream(ByteSource& source, AtCut at_cut)
    : source_(source),
      at_cut_(at_cut),
      buffer_(std::clamp<uint64_t>(source.compressed_size().value_or(kBuffer), kLeastBuffer,
                                   kBuffer)) {}

bool RecordStream::Fill(size_t bytes) {
  while (limit_ - begin_ < bytes) {
    if (begin_ > 0 && buffer_.size() - begin_ < std::max(bytes, buffer_.size() / 4)) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, limit_ - begin_);
      base_ += begin_;
      limit_ -= begin_;
      begin_ = 0;
    }
    // Grows by what has really arrived, never by what a length claims.
    if (limit_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
    const Result<size_t> got = source_.Read(std::span(buffer_).subspan(limit_));
    if (!got) source_damaged_ = true;
    if (!got || *got == 0) return false;
    limit_ += *got;
  }
  return true;
}

// Looks at a record that would begin `ahead` bytes after begin_.
RecordStream::Check RecordStream::CheckAt(size_t ahead, uint64_t& length) {
  if (!Fill(ahead + kRecordHeaderBytes)) return Check::kIncomplete;
  const char* header = buffer_.data() + begin_ + ahead;
  if (!HoldsRecordHeader({header, kRecordHeaderBytes})) return Check::kBadLength;
  length = LoadLittle<uint64_t>(header);
  constexpr uint64_t kAbsurd = uint64_t{1} << 48;
  const uint64_t framed = kRecordHeaderBytes + length + kRecordFooterBytes;
  if (length > kAbsurd || !Fill(ahead + framed)) return Check::kIncomplete;
  const char* data = buffer_.data() + begin_ + ahead + kRecordHeaderBytes;
  const uint32_t stored = LoadLittle<uint32_t>(data + length);
  return MaskCrc(Crc32c({data, length})) == stored ? Check::kGood : Check::kBadData;
}

RecordStream::Outcome RecordStream::Next() {
  if (gave_up_) return Outcome::kEnd;
  uint64_t length = 0;
  switch (CheckAt(0, length)) {
    case Check::kGood:
      data_ = {buffer_.data() + begin_ + kRecordHeaderBytes, length};
      record_offset_ = position();
      begin_ += kRecordHeaderBytes + length + kRecordFooterBytes;
      return Outcome::kRecord;
    case Check::kBadLength:
      Resynchronise(RecordDamage::Kind::kLengthCrc);
      return Outcome::kDamage;
    case Check::kBadData:
      SkipBadData(kRecordHeaderBytes + length + kRecordFooterBytes);
      return Outcome::kDamage;
    case Check::kIncomplete:
      return Incomplete();
  }
  std::unreachable();
}

RecordStream::Outcome RecordStream::Incomplete() {
  if (source_damaged_) {
    source_damaged_ = false;
    damage_ = {RecordDamage::Kind::kCompressed, position(), limit_ - begin_, false, false};
    begin_ = limit_;
    return Outcome::kDamage;
  }
  cut_bytes_ = limit_ - begin_;
  cut_offset_ = position();
  if (at_cut_ == AtCut::kWait || cut_bytes_ < kRecordHeaderBytes) return Outcome::kEnd;
  if (Resynchronise(RecordDamage::Kind::kTooLong)) {
    cut_bytes_ = 0;
    return Outcome::kDamage;
  }
  cut_bytes_ = damage_.skipped;  // nothing good follows: the file simply ends inside this record
  return Outcome::kEnd;
}

// The length holds, so the next record most likely begins where this one ends.
void RecordStream::SkipBadData(size_t framed) {
  uint64_t length = 0;
  const bool last = !Fill(framed + 1);
  if (!last && CheckAt(framed, length) != Check::kGood) {
    Resynchronise(RecordDamage::Kind::kDataCrc);
    return;
  }
  damage_ = {RecordDamage::Kind::kDataCrc, position(), framed, false, false};
  begin_ += framed;
}

bool RecordStream::Resynchronise(RecordDamage::Kind kind) {
  damage_ = {kind, position(), 0, true, false};
  uint64_t length = 0;
  bool found = false;
  // A disk image or a file that was allocated and never written: nobody writes records behind that.
  constexpr uint64_t kMostZeros = uint64_t{64} << 20;
  while (!found) {
    if (damage_.zeros && position() - damage_.offset >= kMostZeros) {
      gave_up_ = damage_.rest_unread = true;
      break;
    }
    damage_.zeros &= buffer_[begin_++] == 0;
    if (!Fill(kRecordHeaderBytes)) break;
    begin_ += ZeroHeadersAt({buffer_.data() + begin_, limit_ - begin_});
    if (!Fill(kRecordHeaderBytes)) break;  // a header may begin in the last zeros of the buffer
    found = HoldsRecordHeader({buffer_.data() + begin_, kRecordHeaderBytes}) &&
            CheckAt(0, length) == Check::kGood;
  }
  for (; !found && !gave_up_ && begin_ < limit_; ++begin_) damage_.zeros &= buffer_[begin_] == 0;
  damage_.skipped = position() - damage_.offset;
  return found;
}

void NoteFault(const std::string& path, const RecordStream& records,
               RecordStream::Outcome outcome) {
  if (outcome == RecordStream::Outcome::kDamage) {
    NoteDamage(path, "damaged-records", SentenceOf(records.damage().kind), records.damage().offset);
  } else if (outcome == RecordStream::Outcome::kEnd && records.cut_bytes() > 0) {
    NoteDamage(path, "file-truncated", Say("io.cut-record", records.cut_bytes()),
               records.cut_offset());
  }
}

}  // namespace stepscope
