#include "record/python_layout.h"

#include <array>
#include <cstring>

namespace stepscope {
namespace {

constexpr std::array kLayouts{
    PythonLayout{.minor = 9,
                 .interpreters_head = 32,
                 .threads_head = 8,
                 .thread_next = 8,
                 .thread_id = 176,
                 .thread_frame = 24,
                 .frame_back = 24,
                 .frame_code = 32,
                 .frame_instruction = 104,
                 .code_filename = 104,
                 .code_name = 112,
                 .code_first_line = 40,
                 .code_line_table = 120,
                 .string_ascii = 48},
    PythonLayout{.minor = 10,
                 .interpreters_head = 32,
                 .threads_head = 8,
                 .thread_next = 8,
                 .thread_id = 176,
                 .thread_frame = 24,
                 .frame_back = 24,
                 .frame_code = 32,
                 .frame_instruction = 96,
                 .code_filename = 104,
                 .code_name = 112,
                 .code_first_line = 40,
                 .code_line_table = 120,
                 .string_ascii = 48},
    PythonLayout{.minor = 11,
                 .interpreters_head = 40,
                 .threads_head = 16,
                 .thread_next = 8,
                 .thread_id = 152,
                 .native_id = 160,
                 .thread_frame = 56,
                 .cframe_frame = 8,
                 .frame_back = 48,
                 .frame_code = 32,
                 .frame_instruction = 56,
                 .code_filename = 112,
                 .code_name = 120,
                 .code_qualname = 128,
                 .code_first_line = 72,
                 .code_line_table = 136,
                 .code_start = 184,
                 .string_ascii = 48},
    PythonLayout{.minor = 12,
                 .interpreters_head = 40,
                 .threads_head = 72,
                 .thread_next = 8,
                 .thread_id = 136,
                 .native_id = 144,
                 .thread_frame = 56,
                 .cframe_frame = 0,
                 .frame_back = 8,
                 .frame_code = 0,
                 .frame_instruction = 56,
                 .code_filename = 112,
                 .code_name = 120,
                 .code_qualname = 128,
                 .code_first_line = 68,
                 .code_line_table = 136,
                 .code_start = 192,
                 .string_ascii = 40},
    PythonLayout{.minor = 13,
                 .interpreters_head = 632,
                 .threads_head = 7344,
                 .thread_next = 8,
                 .thread_id = 152,
                 .native_id = 160,
                 .thread_frame = 72,
                 .frame_back = 8,
                 .frame_code = 0,
                 .frame_instruction = 56,
                 .code_filename = 112,
                 .code_name = 120,
                 .code_qualname = 128,
                 .code_first_line = 68,
                 .code_line_table = 136,
                 .code_start = 200,
                 .string_ascii = 40},
};

// Where the table has what, in words of 8 bytes (pycore_debug_offsets.h of each version). 0: the
// version has no such field.
struct TablePlaces {
  int minor;
  size_t thread_next, current_frame, thread_id, native_id;
  size_t frame_back, frame_code, frame_instruction, frame_copy;
  size_t code_filename, code_name, code_qualname, code_line_table, code_first_line, code_start,
      code_copies;
  size_t object_type, bytes_length, bytes_data, string_state, string_length, string_ascii;
};
constexpr size_t kVersionWord = 1, kInterpretersHeadWord = 5, kThreadsHeadWord = 9;
constexpr std::array kPlaces{
    TablePlaces{13, 21, 23, 24, 25, 29, 30, 31, 0,  35, 36,
                37, 38, 39, 43, 0,  45, 65, 66, 68, 69, 70},
    TablePlaces{14, 24, 26, 27, 28, 32, 33, 34, 38, 40, 41,
                42, 43, 44, 48, 49, 51, 75, 76, 78, 79, 80},
};

// Beyond these an offset is none of ours: frames and code objects are read as a whole.
constexpr uint64_t kMostOffset = uint64_t{1} << 20;

class TableReader {
 public:
  explicit TableReader(std::span<const uint64_t> table) : table_(table) {}
  int At(size_t word) {
    good_ &= table_[word] < kMostOffset;
    return good_ ? static_cast<int>(table_[word]) : 0;
  }
  // -1 where the version has no such field.
  int Optional(size_t word) { return word == 0 ? -1 : At(word); }
  bool good() const { return good_; }

 private:
  std::span<const uint64_t> table_;
  bool good_ = true;
};

PythonLayout LayoutAt(const TablePlaces& places, bool free_threaded, TableReader& table) {
  PythonLayout layout{.minor = places.minor,
                      .interpreters_head = table.At(kInterpretersHeadWord),
                      .threads_head = table.At(kThreadsHeadWord),
                      .thread_next = table.At(places.thread_next),
                      .thread_id = table.At(places.thread_id),
                      .native_id = table.At(places.native_id),
                      .thread_frame = table.At(places.current_frame),
                      .frame_back = table.At(places.frame_back),
                      .frame_code = table.At(places.frame_code),
                      .frame_instruction = table.At(places.frame_instruction),
                      .code_filename = table.At(places.code_filename),
                      .code_name = table.At(places.code_name),
                      .code_qualname = table.At(places.code_qualname),
                      .code_first_line = table.At(places.code_first_line),
                      .code_line_table = table.At(places.code_line_table),
                      .code_start = table.At(places.code_start),
                      .string_ascii = table.At(places.string_ascii),
                      .string_length = table.At(places.string_length),
                      .string_state = table.At(places.string_state),
                      .bytes_length = table.At(places.bytes_length),
                      .bytes_data = table.At(places.bytes_data),
                      .object_type = table.At(places.object_type)};
  if (free_threaded) {
    layout.frame_copy = table.Optional(places.frame_copy);
    layout.code_copies = table.Optional(places.code_copies);
    // Since 3.14 a byte of its own, because threads change it at once.
    constexpr int kFirstWithByte = 14, kByte = 8;
    if (places.minor >= kFirstWithByte) layout.interned_bits = kByte;
  }
  return layout;
}

}  // namespace

std::optional<PythonLayout> LayoutFromTable(std::span<const uint64_t> table) {
  if (table.size() < kOffsetTableWords) return std::nullopt;
  if (std::memcmp(table.data(), "xdebugpy", 8) != 0) return std::nullopt;
  const auto version = static_cast<uint32_t>(table[kVersionWord]);
  for (const TablePlaces& places : kPlaces) {
    if (version >> 24 != 3 || static_cast<int>((version >> 16) & 0xff) != places.minor) continue;
    TableReader reader(table);
    PythonLayout layout = LayoutAt(places, table[kFreeThreadedWord] != 0, reader);
    if (reader.good()) return layout;
  }
  return std::nullopt;
}

const PythonLayout* LayoutOfPython(int minor) {
  for (const PythonLayout& layout : kLayouts) {
    if (layout.minor == minor) return &layout;
  }
  return nullptr;
}

}  // namespace stepscope
