#include "advise/words.h"

#include <array>
#include <initializer_list>

#include "advise/evidence.h"
#include "advise/words_tables.h"

namespace stepscope {

const RuleWords& WordsOf(std::string_view rule) {
  static constexpr RuleWords kNone{};
  for (const std::span<const RuleWords> table :
       {TrustWords(), InputWords(), HostWords(), KernelWords(), CompileWords(), CpuWords(),
        MemoryWords(), CommunicationWords(), OtherWords(), LintWords()}) {
    for (const RuleWords& words : table) {
      if (words.rule == rule) return words;
    }
  }
  return kNone;
}

std::string_view FixOf(std::string_view rule, Framework framework) {
  const RuleWords& words = WordsOf(rule);
  std::string_view own;
  switch (framework) {
    case Framework::kPyTorch:
      own = words.pytorch;
      break;
    case Framework::kTensorFlow:
      own = words.tensorflow;
      break;
    case Framework::kJax:
      own = words.jax;
      break;
    case Framework::kOnnxRuntime:
      own = words.onnx_runtime;
      break;
    case Framework::kOther:
      break;
  }
  for (const std::string_view fix :
       {own, words.pytorch, words.tensorflow, words.jax, words.onnx_runtime}) {
    if (!fix.empty()) return fix;
  }
  return {};
}

}  // namespace stepscope
