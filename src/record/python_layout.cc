#include "record/python_layout.h"

#include <array>

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

}  // namespace

const PythonLayout* LayoutOfPython(int minor) {
  for (const PythonLayout& layout : kLayouts) {
    if (layout.minor == minor) return &layout;
  }
  return nullptr;
}

}  // namespace stepscope
