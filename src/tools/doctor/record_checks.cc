#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "tools/doctor/doctor.h"
#include "tools/doctor/machine/root_files.h"
#include "words/record.h"

// What `record` needs of a machine.
namespace stepscope {
namespace {

constexpr SayFrom<kRecordTexts> Say;
constexpr int kOldestPython = 9, kNewestPython = 14;

Check Made(CheckStatus status, const Message& sentence, const Message& fix = {}) {
  return {.area = "recording", .status = status, .sentence = sentence, .fix = fix};
}

// "/usr/lib/python3.12/site-packages" → 12.
std::optional<int> MinorOf(const PythonPlace& python) {
  for (const std::string& path : python.packages) {
    const size_t at = path.find("python3.");
    if (at == std::string::npos) continue;
    int minor = 0;
    const char* const from = path.data() + at + 8;
    if (std::from_chars(from, path.data() + path.size(), minor).ec == std::errc()) return minor;
  }
  return std::nullopt;
}

void CheckPython(const PythonPlace& python, std::vector<Check>& checks) {
  const std::optional<int> minor = MinorOf(python);
  if (!minor) return;
  const bool known = *minor >= kOldestPython && *minor <= kNewestPython;
  checks.push_back(known ? Made(CheckStatus::kFine, Say("record.python.known", *minor))
                         : Made(CheckStatus::kNote, Say("record.python.unknown", *minor),
                                Say("record.python.unknown-fix")));
}

// Scope 1 lets a parent read its children; 2 asks for a capability, 3 forbids it to all.
void CheckMemoryAccess(const KernelSettings& settings, std::vector<Check>& checks) {
  constexpr int64_t kOnlyWithCapability = 2, kNobody = 3;
  const int64_t scope = settings.ptrace_scope.value_or(0);
  const bool forbidden =
      scope >= kNobody || (scope == kOnlyWithCapability && !settings.can_use_counters);
  checks.push_back(forbidden ? Made(CheckStatus::kNote, Say("record.memory.forbidden"),
                                    Say("record.memory.forbidden-fix"))
                             : Made(CheckStatus::kFine, Say("record.memory.readable")));
}

void CheckVariables(const Machine& machine, std::vector<Check>& checks) {
  const auto value = [&](const char* name) {
    const auto at = machine.environment.find(name);
    return at == machine.environment.end() ? std::string() : at->second;
  };
  if (const std::string path = value("CUDA_INJECTION64_PATH"); !path.empty()) {
    checks.push_back(
        Made(CheckStatus::kNote, Say("record.injection", path), Say("record.injection-fix")));
  }
  if (const std::string daemon = value("KINETO_USE_DAEMON"); !daemon.empty() && daemon != "0") {
    checks.push_back(Made(CheckStatus::kNote, Say("record.daemon"), Say("record.daemon-fix")));
  }
  if (const std::string teardown = value("TEARDOWN_CUPTI"); !teardown.empty() && teardown != "1") {
    checks.push_back(
        Made(CheckStatus::kNote, Say("record.teardown", teardown), Say("record.teardown-fix")));
  }
}

void CheckCounters(const RootFiles& files, std::vector<Check>& checks) {
  checks.push_back(
      files.Exists("/proc/self/schedstat")
          ? Made(CheckStatus::kFine, Say("record.scheduler"))
          : Made(CheckStatus::kNote, Say("record.no-scheduler"), Say("record.no-scheduler-fix")));
  if (!files.Exists("/proc/pressure/cpu")) {
    checks.push_back(
        Made(CheckStatus::kNote, Say("record.no-pressure"), Say("record.no-pressure-fix")));
  }
}

}  // namespace

std::vector<Check> CheckRecording(const Patient& patient, const RootFiles& files) {
  std::vector<Check> checks;
  CheckPython(patient.python, checks);
  CheckMemoryAccess(patient.machine.settings, checks);
  CheckVariables(patient.machine, checks);
  CheckCounters(files, checks);
  return checks;
}

}  // namespace stepscope
