#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stepscope {

// Where CPython keeps what a stack sample needs: offsets in bytes, on 64-bit Linux, of release
// builds. From the headers of each version; -1: the version has no such field.
struct PythonLayout {
  int minor = 0;  // of 3.x
  int interpreters_head = 0;
  int threads_head = 0;
  int thread_next = 0, thread_id = 0, native_id = -1;
  int thread_frame = 0;   // the frame, or the cframe that leads to it
  int cframe_frame = -1;  // in the cframe
  int frame_back = 0, frame_code = 0, frame_instruction = 0;
  int code_filename = 0, code_name = 0, code_qualname = -1, code_first_line = 0;
  int code_line_table = 0;
  int code_start = -1;   // of the instructions, which the frame points into
  int string_ascii = 0;  // where the characters of an ASCII string stand
  int string_length = 16, string_state = 32;
  int interned_bits = 2;  // at the low end of a string's state; what follows is the same in all
  int bytes_length = 16, bytes_data = 32;
  int object_type = 8;
  // Free-threaded builds since 3.14: threads run copies of the instructions, by number.
  int frame_copy = -1, code_copies = -1;
};

// Of 3.9 to 3.13, with the GIL; nullptr for others.
const PythonLayout* LayoutOfPython(int minor);

// Since 3.13 _PyRuntime begins with a table of such offsets. It is the way to free-threaded builds
// and to 3.14. None where it is no such table, or of a version whose table is not known.
inline constexpr size_t kOffsetTableWords = 81;
inline constexpr size_t kFreeThreadedWord = 2;  // not 0 in builds without the GIL
inline constexpr int kFirstWithTable = 13;
std::optional<PythonLayout> LayoutFromTable(std::span<const uint64_t> table);

}  // namespace stepscope
