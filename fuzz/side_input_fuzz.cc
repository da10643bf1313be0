// Any text as what stands beside a profile: settings, the JSON of `doctor`, and logs.

#include <cstdint>

#include "advise/log_facts.h"
#include "advise/machine_facts.h"
#include "advise/settings.h"
#include "base/json_document.h"
#include "tools/doctor/log_explanations.h"
#include "tools/nan/tfdbg/check_numerics_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ParseSettings(text, "fuzz");
  if (const auto json = ParseJson(text)) (void)ReadMachineFacts(*json);
  (void)ReadLogFacts(text);
  (void)ExplainLog(text);
  (void)FindCheckNumerics(text);
  return 0;
}
