#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/ops/call_tree.h"
#include "link/linked_trace.h"

// Where ops stand in the program: module, pass, line of source.
namespace stepscope::diff {

enum class Pass : uint8_t { kNone, kForward, kBackward, kOptimizer };
std::string_view NameOf(Pass pass);  // "forward", …; empty for kNone

struct Place {
  uint32_t module = 0;  // for Places::Module
  uint32_t line = 0;    // for Places::Line
  Pass pass = Pass::kNone;
};

struct XlaPlace {
  std::string module, line;
};

// Ask about calls in order: a call inside of another inherits what it lacks.
class Places {
 public:
  explicit Places(const LinkedTrace& linked);

  Place OfOp(const CallTree& ops, uint32_t call);
  // An instruction of XLA by its name.
  XlaPlace OfInstruction(StringId name) const;
  const std::string& Module(uint32_t module) const { return texts_[module]; }
  const std::string& Line(uint32_t line) const { return texts_[line]; }

 private:
  uint32_t Intern(std::string text);
  uint32_t ModuleOf(uint32_t slice, uint32_t& near);
  uint32_t LineOf(uint32_t slice);
  uint32_t LineOfStack(StringId stack);

  const Trace& trace_;
  const CallTree modules_, frames_, ranges_;
  std::vector<uint32_t> module_text_;                  // by call of modules_
  std::unordered_map<uint32_t, uint32_t> forward_of_;  // backward op → forward op, slices
  std::unordered_map<uint32_t, uint32_t> line_of_stack_, line_of_name_;
  std::unordered_map<StringId, uint32_t> instruction_;
  std::unordered_map<std::string, uint32_t> index_;
  std::vector<std::string> texts_;  // the first is empty
  std::vector<Place> of_call_;
  bool has_backward_ = false;
  uint32_t near_module_ = 0, near_forward_ = 0, near_frame_ = 0, near_range_ = 0;
};

}  // namespace stepscope::diff
