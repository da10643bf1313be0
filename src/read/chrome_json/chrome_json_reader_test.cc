#include "read/chrome_json/chrome_json_reader.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

namespace stepscope::chrome_json {
namespace {

const std::string kData = STEPSCOPE_SOURCE_DIR "/../shared/data/";

Result<Trace> ReadFile(const std::string& path, unsigned threads, Diagnostics& diagnostics) {
  TaskPool pool(threads);
  Result<OpenedSource> source = OpenSource(path);
  if (!source) return std::unexpected(source.error());
  return ReadChromeJson(std::move(*source), {}, pool, diagnostics);
}

TEST(ChromeJsonReader, CountsOfResnet) {
  const std::string path = kData + "h200/resnet50_good.pt.trace.json.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "SKIPPED: no " << path;
  Diagnostics diagnostics;
  const Result<Trace> trace = ReadFile(path, 2, diagnostics);
  ASSERT_TRUE(trace.has_value());
  for (const auto& e : diagnostics.entries())
    std::printf("%s %lu\n", std::string(CodeOf(e.code)).c_str(), e.count);
  for (const auto& [k, v] : trace->events.by_phase) std::printf("%s %lu\n", k.c_str(), v);
  for (const auto& [k, v] : trace->events.complete_by_category)
    std::printf("%s %lu\n", k.c_str(), v);
  EXPECT_EQ(trace->events.diagnosed, 0U);
}

}  // namespace
}  // namespace stepscope::chrome_json
