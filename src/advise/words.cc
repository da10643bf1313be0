#include "advise/words.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "advise/evidence.h"
#include "words/labels.h"
#include "words/text.h"

namespace stepscope {
namespace {

constexpr SayFrom<kLabelTexts> Say;

std::string_view PartOf(Framework framework) {
  switch (framework) {
    case Framework::kPyTorch:
      return "pytorch";
    case Framework::kTensorFlow:
      return "tensorflow";
    case Framework::kJax:
      return "jax";
    case Framework::kOnnxRuntime:
      return "onnx_runtime";
    case Framework::kOther:
      return "other";
  }
  std::unreachable();
}

// A limit's value as the argument of a hole with that unit.
Argument ArgumentOf(double value, std::string_view unit) {
  if (unit == "limit") return DurationNs{static_cast<int64_t>(value)};
  if (unit == "count" || unit == "bytes" || unit == "mb") return static_cast<int64_t>(value);
  return value;
}

}  // namespace

Message RuleText(std::string_view rule, std::string_view part, const Limits& limits) {
  const Text* text = FindText(fmt::format("{}.{}", rule, part));
  if (text == nullptr) return {};
  std::vector<Argument> arguments;
  for (std::string_view rest = text->english; !rest.empty();) {
    const TextPiece piece = TakePiece(rest);
    if (piece.name.empty() || PlaceOf(text->english, piece.name) < arguments.size()) continue;
    arguments.push_back(ArgumentOf(limits.Named(piece.name).value_or(0), piece.unit));
  }
  return {text, std::move(arguments)};
}

Message FixOf(std::string_view rule, Framework framework) {
  const Limits no_limits;
  // A fix for another framework is none. Only where the profile does not name its framework any may
  // help, and says which one it is for.
  Message own = RuleText(rule, PartOf(framework), no_limits);
  if (framework != Framework::kOther || !own.empty()) return own;
  using Named = std::pair<Framework, std::string_view>;
  for (const auto& [other, name] :
       {Named(Framework::kPyTorch, "PyTorch"), Named(Framework::kTensorFlow, "TensorFlow"),
        Named(Framework::kJax, "JAX"), Named(Framework::kOnnxRuntime, "ONNX Runtime")}) {
    Message fix = RuleText(rule, PartOf(other), no_limits);
    if (!fix.empty()) return Say("label.in-framework", name, std::move(fix));
  }
  return {};
}

}  // namespace stepscope
