#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// The file that `stepscope record` writes, one a process (docs/record.md): a header, then blocks
// that are only ever appended. A block carries its length and a checksum, so that a file cut or
// damaged at any byte can be read up to and after the fault. All numbers are little-endian; all
// times are CLOCK_MONOTONIC in ns.
namespace stepscope::recording {

inline constexpr std::string_view kFileMagic{"SSREC\r\n\x1a", 8};
inline constexpr uint32_t kVersion = 1;
inline constexpr size_t kFileHeaderBytes = 16;  // magic, u32 version, u32 0

inline constexpr std::string_view kBlockMagic = "SSB1";
inline constexpr size_t kBlockHeaderBytes = 40;
inline constexpr size_t kMaxBlockBytes = size_t{64} << 20;

// u32 magic | u8 type | u8 codec (0) | u16 schema (1) | u32 stored | u32 raw | u64 first ns |
// u64 last ns | u32 rows | u32 CRC-32 of bytes 4..35 and the payload
enum class BlockType : uint8_t {
  kStrings = 1,     // u32 id, u32 length, bytes
  kKernels = 2,     // i64 start, i64 end, u32 device, stream, correlation, name, grid ×3, u16 block
                    // ×3, u16 registers, u32 shared memory, u32 graph, u64 its node
  kCopies = 3,      // i64 start, i64 end, u32 device, stream, correlation, u8 way, from, to, flags
                    // (way 0xff: a memset), u64 bytes
  kCalls = 4,       // i64 start, i64 end, u32 thread, correlation, name, what it returned
  kSyncs = 5,       // i64 start, i64 end, u32 type, correlation, context, stream
  kStacks = 6,      // u32 id, u32 caller's id or ~0, u32 function, u32 file (strings), i32 line
  kSamples = 7,     // i64 time, i64 weight, u64 thread, u32 stack, u32 flags (1: waiting)
  kCounters = 8,    // i64 time, u32 name, u32 series (strings), f64 value
  kClock = 9,       // i64 monotonic, i64 realtime
  kFacts = 10,      // u32 key length, u32 value length, key, value
  kLoss = 11,       // i64 from, i64 to, u64 count, u32 length, reason
  kEnd = 12,        // i64 time, i32 exit code, i32 signal
  kSteps = 13,      // i64 start, i64 end, u32 number, u32 flags (1: profiled)
  kRanges = 14,     // NVTX: i64 start, i64 end, u32 thread, name, domain, 0
  kOverheads = 15,  // of CUPTI: i64 start, i64 end, u32 kind, thread
  kDevices = 16,    // u32 index, u32 name, u64 memory, u32 multiprocessors, u32 capability << 16
};

inline constexpr size_t kStackRow = 20, kSampleRow = 32, kCounterRow = 24, kClockRow = 16,
                        kEndRow = 16, kStepRow = 24;

// Times of any machine that is up for less than a century; others are damage that a checksum let
// through, or a file made by hand.
inline bool IsTime(int64_t ns) { return ns >= 0 && ns < int64_t{1} << 62; }

struct Block {
  BlockType type = BlockType::kFacts;
  int64_t first_ns = 0, last_ns = 0;
  uint32_t rows = 0;
  std::string_view payload;
  uint64_t offset = 0;
};

// Walks the blocks of a file. After damage it goes on at the next block whose checksum holds.
class BlockScanner {
 public:
  explicit BlockScanner(std::string_view file);
  bool has_header() const { return has_header_; }
  std::optional<Block> Next();
  uint64_t lost_bytes() const { return lost_; }
  std::optional<uint64_t> first_loss() const { return first_loss_; }

 private:
  std::optional<Block> BlockAt(size_t at) const;

  std::string_view file_;
  size_t at_ = 0;
  uint64_t lost_ = 0;
  std::optional<uint64_t> first_loss_;
  bool has_header_ = false;
};

// Reads numbers from the front of a payload; after its end all are 0 and good() is false.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}
  template <typename T>
  T Take();
  std::string_view Text(size_t length);
  bool good() const { return good_; }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

extern template uint8_t Fields::Take<uint8_t>();
extern template uint16_t Fields::Take<uint16_t>();
extern template uint32_t Fields::Take<uint32_t>();
extern template int32_t Fields::Take<int32_t>();
extern template uint64_t Fields::Take<uint64_t>();
extern template int64_t Fields::Take<int64_t>();
extern template double Fields::Take<double>();

}  // namespace stepscope::recording
