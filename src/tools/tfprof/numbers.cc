#include "tools/tfprof/numbers.h"

#include <fmt/core.h>

namespace stepscope::tfprof {

std::string FormatCount(int64_t count) {
  const auto real = static_cast<double>(count);
  if (count < 1'000) return std::to_string(count);
  if (count < 1'000'000) return fmt::format("{:.2f}k", real / 1e3);
  if (count < 1'000'000'000) return fmt::format("{:.2f}m", real / 1e6);
  return fmt::format("{:.2f}b", real / 1e9);
}

std::string FormatMicros(int64_t micros) {
  const auto real = static_cast<double>(micros);
  if (micros < 1'000) return std::to_string(micros) + "us";
  if (micros < 1'000'000) return fmt::format("{:.2f}ms", real / 1e3);
  return fmt::format("{:.2f}sec", real / 1e6);
}

std::string FormatBytes(int64_t bytes) {
  const auto real = static_cast<double>(bytes);
  if (bytes < 1'000) return std::to_string(bytes) + "B";
  if (bytes < 1'000'000) return fmt::format("{:.2f}KB", real / 1e3);
  return fmt::format("{:.2f}MB", real / 1e6);
}

}  // namespace stepscope::tfprof
