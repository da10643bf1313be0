// Any bytes as one record of a dataset.

#include <cstdint>

#include "tools/data/read/example.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view record(reinterpret_cast<const char*>(data), size);
  ExampleSurvey survey;
  survey.Add(record);
  if (const auto features = ParseExample(record)) {
    for (const Feature& feature : *features) {
      (void)IntegersOf(feature);
      (void)FloatsOf(feature);
    }
  }
  return 0;
}
