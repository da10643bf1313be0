#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// A frame of an allocation's stack, as the snapshot has it.
struct StackFrame {
  std::string_view name;
  std::string_view file;
  int64_t line = 0;
};

// Of a stack, innermost frame first. Folders of the machine are left out of both.
//
// Who asked, as "train.py:31 forward": the innermost frame of the user's own Python, else of any
// Python, else of C++ that says something; empty where there is none.
std::string SiteIn(std::span<const StackFrame> stack);
// The modules that were called around it, "model.py:40 > block.py forward": where each called the
// next, and the innermost. Else "(optimizer)", "(backward)" or "(outside of modules)"; empty where
// there is no stack.
std::string ModuleIn(std::span<const StackFrame> stack);

}  // namespace stepscope
