#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

// A TFRecord file is records end to end, all numbers little-endian:
//   u64 length | u32 masked CRC-32C of those 8 bytes | data | u32 masked CRC-32C of data
inline constexpr size_t kRecordHeaderBytes = 12;
inline constexpr size_t kRecordFooterBytes = 4;

// True when these first bytes of a file are a record header that holds.
bool HoldsRecordHeader(std::string_view bytes);
// Appends one framed record to `out`.
void AppendRecord(std::string_view data, std::string& out);

// A damaged place in a record file.
struct RecordDamage {
  enum class Kind : uint8_t { kLengthCrc, kDataCrc, kTooLong, kCompressed };
  Kind kind;
  uint64_t offset = 0;       // of the first byte that is not part of a good record
  uint64_t skipped = 0;      // bytes from there to the next record that holds, or to the end
  bool zeros = false;        // all of them are zero: space that was allocated and never written
  bool rest_unread = false;  // so many zeros that the rest was not looked at
};
Message SentenceOf(RecordDamage::Kind kind);

// Walks the records of a byte source and checks every CRC. After a fault it continues at the next
// place where header and data both match their CRCs (a chance match has the odds 2^-64 a byte).
// Memory: one buffer of 256 KiB, or of the longest record. Offsets count uncompressed bytes.
class RecordStream {
 public:
  // What an incomplete record at the end of the source means: a writer that has not finished
  // (kWait: Next may be called again when the file has grown), or possibly a damaged length behind
  // which good records follow (kScan).
  enum class AtCut : uint8_t { kScan, kWait };
  enum class Outcome : uint8_t { kRecord, kDamage, kEnd };

  explicit RecordStream(ByteSource& source, AtCut at_cut = AtCut::kScan);

  Outcome Next();
  // After kRecord; valid until the next call.
  std::string_view data() const { return data_; }
  uint64_t offset() const { return record_offset_; }
  // After kDamage.
  const RecordDamage& damage() const { return damage_; }
  // After kEnd: bytes of a record that is not complete. 0 when the file ends where a record ends.
  uint64_t cut_bytes() const { return cut_bytes_; }
  uint64_t cut_offset() const { return cut_offset_; }  // where that record begins
  uint64_t position() const { return base_ + begin_; }

 private:
  enum class Check : uint8_t { kGood, kBadLength, kBadData, kIncomplete };

  bool Fill(size_t bytes);  // makes `bytes` available from begin_; false at the end
  Check CheckAt(size_t ahead, uint64_t& length);
  Outcome Incomplete();
  void SkipBadData(size_t framed);
  bool Resynchronise(RecordDamage::Kind kind);  // false: no good record up to the end

  ByteSource& source_;
  const AtCut at_cut_;
  std::vector<char> buffer_;
  size_t begin_ = 0;   // first unread byte in buffer_
  size_t limit_ = 0;   // end of what has been read into buffer_
  uint64_t base_ = 0;  // file offset of buffer_[0]
  uint64_t cut_bytes_ = 0;
  uint64_t cut_offset_ = 0;
  bool source_damaged_ = false;
  bool gave_up_ = false;
  std::string_view data_;
  uint64_t record_offset_ = 0;
  RecordDamage damage_{};
};

// Notes in io/input_damage.h what Next() found, where that is damage or a cut.
void NoteFault(const std::string& path, const RecordStream& records, RecordStream::Outcome outcome);

enum class RecordCompression : uint8_t { kNone, kGzip, kZlib };
std::string_view NameOf(RecordCompression compression);

struct RecordFile {
  std::unique_ptr<ByteSource> bytes;
  RecordCompression compression = RecordCompression::kNone;
  uint64_t size_on_disk = 0;
};

// Opens a record file and tells its compression: a first record header that holds means none,
// whatever its length happens to spell. Plain files are read, not mapped, so that one that shrinks
// or grows meanwhile does no harm.
Result<RecordFile> OpenRecordFile(const std::string& path);

}  // namespace stepscope
