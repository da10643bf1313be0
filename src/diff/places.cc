#include "diff/places.h"

#include <algorithm>

#include "diff/kernel_family.h"

namespace stepscope::diff {
namespace {

// "nn.Module: Linear_3" is shown as "Linear_3".
std::string_view ModuleName(std::string_view frame) {
  const size_t at = frame.find(": ");
  return at == std::string_view::npos ? frame : frame.substr(at + 2);
}

// Code that is installed is not the program's own.
bool IsInstalled(std::string_view frame) {
  return frame.find("site-packages/") != std::string_view::npos ||
         frame.find("dist-packages/") != std::string_view::npos || frame.starts_with("torch/") ||
         frame.starts_with("<built-in") || frame.starts_with("nn.Module");
}

}  // namespace

std::string_view NameOf(Pass pass) {
  switch (pass) {
    case Pass::kNone:
      return "";
    case Pass::kForward:
      return "forward";
    case Pass::kBackward:
      return "backward";
    case Pass::kOptimizer:
      return "optimizer";
  }
  return "";
}

Places::Places(const LinkedTrace& linked)
    : trace_(linked.trace),
      modules_(Kind::kModuleFrame, trace_),
      frames_(Kind::kPythonFrame, trace_),
      ranges_(Kind::kAnnotation, trace_),
      texts_(1) {
  module_text_.resize(modules_.size());
  for (uint32_t call = 0; call < modules_.size(); ++call) {
    const uint32_t up = modules_.ParentOf(call);
    std::string path = up == kNoRow ? "" : texts_[module_text_[up]] + " > ";
    path += RolledUp(ModuleName(trace_.Name(modules_.SliceOf(call))));
    module_text_[call] = Intern(std::move(path));
  }
  for (const auto& [forward, backward] : linked.links.forward_backward) {
    forward_of_.emplace(Index(backward), Index(forward));
  }
  has_backward_ = std::any_of(trace_.traits.begin(), trace_.traits.end(),
                              [](const NameTraits& traits) { return traits.backward; });
  for (uint32_t i = 0; i < trace_.hlo_ops.size(); ++i)
    instruction_.emplace(trace_.hlo_ops[i].name, i);
}

uint32_t Places::Intern(std::string text) {
  if (text.empty()) return 0;
  const auto [at, is_new] = index_.emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(at->first);
  return at->second;
}

uint32_t Places::ModuleOf(uint32_t slice, uint32_t& near) {
  if (modules_.size() == 0) return 0;
  const uint32_t call = modules_.InnermostAt(slice, near);
  return call == kNoRow ? 0 : module_text_[call];
}

uint32_t Places::LineOfStack(StringId stack) {
  const auto known = line_of_stack_.find(Index(stack));
  if (known != line_of_stack_.end()) return known->second;
  // Frames are joined by ';', the innermost first.
  std::string_view rest = trace_.strings[stack], first;
  std::string_view found;
  while (!rest.empty() && found.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view frame = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (first.empty()) first = frame;
    if (!IsInstalled(frame)) found = frame;
  }
  const uint32_t line = Intern(std::string(found.empty() ? first : found));
  line_of_stack_.emplace(Index(stack), line);
  return line;
}

uint32_t Places::LineOf(uint32_t slice) {
  if (const uint32_t args = trace_.slices.args[slice]; args != kNoRow) {
    const StringId stack = trace_.op_args[args].stack;
    if (stack != kEmptyString) return LineOfStack(stack);
  }
  if (frames_.size() == 0) return 0;
  for (uint32_t frame = frames_.InnermostAt(slice, near_frame_); frame != kNoRow;
       frame = frames_.ParentOf(frame)) {
    const StringId name = trace_.slices.name[frames_.SliceOf(frame)];
    const auto [at, is_new] = line_of_name_.emplace(Index(name), 0);
    if (is_new && !IsInstalled(trace_.strings[name])) {
      at->second = Intern(std::string(trace_.strings[name]));
    }
    if (at->second != 0) return at->second;
  }
  return 0;
}

Place Places::OfOp(const CallTree& ops, uint32_t call) {
  if (of_call_.empty()) of_call_.resize(ops.size());
  const uint32_t slice = ops.SliceOf(call);
  const uint32_t up = ops.ParentOf(call);
  Place place;
  if (up != kNoRow) place.pass = of_call_[up].pass;
  if (trace_.Traits(slice).backward) place.pass = Pass::kBackward;
  if (up == kNoRow && place.pass == Pass::kNone && has_backward_) {
    place.pass = Pass::kForward;
    if (ranges_.size() > 0) {
      const uint32_t range = ranges_.InnermostAt(slice, near_range_);
      const bool in_optimizer = range != kNoRow && trace_.Traits(ranges_.SliceOf(range)).optimizer;
      if (in_optimizer) place.pass = Pass::kOptimizer;
    }
  }
  place.module = ModuleOf(slice, near_module_);
  place.line = LineOf(slice);
  if (const auto forward = forward_of_.find(slice); forward != forward_of_.end()) {
    if (place.module == 0) place.module = ModuleOf(forward->second, near_forward_);
    if (place.line == 0) place.line = LineOf(forward->second);
  }
  if (up != kNoRow && place.module == 0) place.module = of_call_[up].module;
  if (up != kNoRow && place.line == 0) place.line = of_call_[up].line;
  of_call_[call] = place;
  return place;
}

XlaPlace Places::OfInstruction(StringId name) const {
  const auto at = instruction_.find(name);
  if (at == instruction_.end()) return {};
  const HloOp& op = trace_.hlo_ops[at->second];
  const std::string_view path = trace_.strings[op.op_name];
  const size_t slash = path.rfind('/');
  return {slash == std::string_view::npos ? "" : RolledUp(path.substr(0, slash)),
          std::string(trace_.strings[op.source])};
}

}  // namespace stepscope::diff
