#include "read/memory_snapshot/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace stepscope {
namespace {

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Frames of Python's and PyTorch's own machinery say nothing about who asked.
bool IsMachinery(std::string_view name) {
  constexpr auto kParts = std::to_array<std::string_view>(
      {"unwind", "CapturedTraceback", "gather_with_cpp", "CachingAllocator", "PyEval_", "PyObject_",
       "PyRun_", "Py_", "boxing", "wrap_kernel_functor", "edispatch", "_start", "__libc",
       "PyCMethod", "::call("});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return Holds(name, part); });
}

bool IsPython(const StackFrame& frame) {
  return frame.file.ends_with(".py") || frame.file.starts_with('<');
}
bool IsTorch(const StackFrame& frame) {
  return Holds(frame.file, "/torch/") || Holds(frame.file, "\\torch\\");
}
std::string_view FileOf(const StackFrame& frame) {
  return frame.file.substr(frame.file.find_last_of("/\\") + 1);
}

// nn.Module.__call__ goes through these on its way to forward.
bool IsModuleCall(const StackFrame& frame) {
  return IsTorch(frame) && FileOf(frame) == "module.py" &&
         (frame.name == "_call_impl" || frame.name == "_wrapped_call_impl" ||
          frame.name == "__call__" || frame.name == "_slow_forward");
}

}  // namespace

std::string SiteIn(std::span<const StackFrame> stack) {
  std::string best;
  int best_rank = 3;
  for (const StackFrame& frame : stack) {
    const bool python = IsPython(frame);
    const int rank = python && !IsTorch(frame) ? 0 : python ? 1 : IsMachinery(frame.name) ? 3 : 2;
    if (rank >= best_rank) continue;
    best_rank = rank;
    best = python ? fmt::format("{}:{} {}", FileOf(frame), frame.line, frame.name)
                  : std::string(frame.name.substr(0, frame.name.find('(')));
    if (rank == 0) break;
  }
  return best;
}

std::string ModuleIn(std::span<const StackFrame> stack) {
  // From the outside in: what a module's __call__ calls next is its forward, and the line where
  // that stands is where it calls the next module.
  std::vector<const StackFrame*> forwards;
  bool entered = false, optimizer = false, backward = false;
  for (size_t i = stack.size(); i-- > 0;) {
    const StackFrame& frame = stack[i];
    optimizer |= IsTorch(frame) && (Holds(frame.file, "/optim/") || Holds(frame.file, "\\optim\\"));
    backward |= Holds(frame.name, "autograd::Engine") || frame.name == "_engine_run_backward";
    if (!IsPython(frame)) continue;
    if (IsModuleCall(frame)) {
      entered = true;
      continue;
    }
    if (entered) {
      forwards.push_back(&frame);
      entered = false;
    } else if (!forwards.empty()) {
      // Wrappers around forward are not it.
      if (frame.name == "forward" && forwards.back()->name != "forward") forwards.back() = &frame;
    }
  }
  if (optimizer) return "(optimizer)";
  if (forwards.empty()) {
    return stack.empty() ? "" : backward ? "(backward)" : "(outside of modules)";
  }
  std::string path;
  for (size_t i = 0; i + 1 < forwards.size(); ++i) {
    path += fmt::format("{}:{} > ", FileOf(*forwards[i]), forwards[i]->line);
  }
  return path + fmt::format("{} {}", FileOf(*forwards.back()), forwards.back()->name);
}

}  // namespace stepscope
