#pragma once

#include <cstdint>

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
};

// Of 3.9 to 3.13; nullptr for others.
const PythonLayout* LayoutOfPython(int minor);

}  // namespace stepscope
