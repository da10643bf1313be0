#include "tools/tune/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "words/message.h"
#include "words/tune.h"

namespace stepscope::tune {
namespace {

constexpr SayFrom<kTuneTexts> Say;

// All pools at once: a program uses one of them, and its libraries the others.
Setting Threads(const ProgramFacts& facts, int64_t count) {
  const std::string value = fmt::format("{}", count);
  Setting setting;
  setting.variables = {{"OMP_NUM_THREADS", value}, {"MKL_NUM_THREADS", value}};
  if (facts.framework == "TensorFlow") {
    setting.variables.emplace_back("TF_NUM_INTRAOP_THREADS", value);
  }
  return setting;
}

void AddXlaFlag(const ProgramFacts& facts, std::string_view flag, std::vector<Setting>& settings) {
  std::string value = facts.xla_flags;
  if (!value.empty()) value += ' ';
  settings.push_back({{{"XLA_FLAGS", value + std::string(flag)}}});
}

void AddOfGpu(const ProgramFacts& facts, std::vector<Setting>& settings) {
  const auto add = [&](const char* variable, const char* value) {
    settings.push_back({{{variable, value}}});
  };
  add("CUDA_DEVICE_MAX_CONNECTIONS", "1");
  add("CUDA_DEVICE_MAX_CONNECTIONS", "32");
  if (facts.framework == "PyTorch") add("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True");
  if (facts.framework == "TensorFlow") {
    add("TF_GPU_THREAD_MODE", "gpu_private");
    add("TF_GPU_ALLOCATOR", "cuda_malloc_async");
    add("TF_XLA_FLAGS", "--tf_xla_auto_jit=2");
  }
  if (facts.framework == "JAX") {
    AddXlaFlag(facts, "--xla_gpu_enable_latency_hiding_scheduler=true", settings);
  }
}

void AddOfCpu(const ProgramFacts& facts, std::vector<Setting>& settings) {
  if (facts.framework == "TensorFlow") {
    settings.push_back({{{"TF_ENABLE_ONEDNN_OPTS", "0"}}});
    settings.push_back({{{"TF_NUM_INTEROP_THREADS", "1"}}});
  }
  if (facts.framework == "JAX") {
    AddXlaFlag(facts, "--xla_cpu_multi_thread_eigen=false", settings);
  }
}

}  // namespace

Result<std::vector<Setting>> SettingsOf(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return Fail(ErrorCode::kUsage, Say("tune.bad-try", std::string(text)), {},
                "stepscope tune --help");
  }
  const std::string variable(text.substr(0, equals));
  std::vector<Setting> settings;
  std::string value;
  const auto finish = [&] {
    settings.push_back({{{variable, value}}});
    value.clear();
  };
  for (size_t i = equals + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      value += text[++i];
    } else if (text[i] == ',') {
      finish();
    } else {
      value += text[i];
    }
  }
  finish();
  return settings;
}

std::vector<Setting> UsualSettings(const ProgramFacts& facts) {
  std::vector<Setting> settings;
  std::vector<int64_t> counts{1, facts.cpus / 2, facts.cpus};
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  for (const int64_t count : counts) {
    if (count > 0) settings.push_back(Threads(facts, count));
  }
  if (facts.has_gpu && !facts.framework.empty()) {
    AddOfGpu(facts, settings);
  } else {
    AddOfCpu(facts, settings);
  }
  return settings;
}

}  // namespace stepscope::tune
