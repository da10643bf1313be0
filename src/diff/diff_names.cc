#include "diff/diff.h"

namespace stepscope::diff {

std::string_view NameOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFaster:
      return "faster";
    case Outcome::kSame:
      return "same";
    case Outcome::kCannotTell:
      return "cannot_tell";
    case Outcome::kNotComparable:
      return "not_comparable";
  }
  return "";
}

std::string_view NameOf(Unit unit) {
  switch (unit) {
    case Unit::kStep:
      return "step";
    case Unit::kRun:
      return "run";
    case Unit::kCall:
      return "call";
  }
  return "";
}

std::string_view NameOf(By by) {
  switch (by) {
    case By::kOp:
      return "op";
    case By::kModule:
      return "module";
    case By::kKernel:
      return "kernel";
    case By::kCategory:
      return "category";
    case By::kLine:
      return "line";
  }
  return "";
}

std::optional<By> ByNamed(std::string_view name) {
  for (const By by : {By::kOp, By::kModule, By::kKernel, By::kCategory, By::kLine}) {
    if (NameOf(by) == name) return by;
  }
  return std::nullopt;
}

std::string_view NameOf(State state) {
  switch (state) {
    case State::kMatched:
      return "matched";
    case State::kAdded:
      return "added";
    case State::kRemoved:
      return "removed";
    case State::kMoved:
      return "moved";
    case State::kRenamed:
      return "renamed";
  }
  return "";
}

std::string_view NameOf(Level level) {
  switch (level) {
    case Level::kModuleOpShape:
      return "module_op_shape";
    case Level::kModuleOp:
      return "module_op";
    case Level::kOpShape:
      return "op_shape";
    case Level::kBase:
      return "base";
    case Level::kFamily:
      return "family";
    case Level::kKernels:
      return "kernels";
    case Level::kNone:
      return "none";
  }
  return "";
}

}  // namespace stepscope::diff
