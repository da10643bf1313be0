#pragma once

#include <cstdint>
#include <string>

// Numbers as tfprof spells them: base 1000, two digits after the point, no unit above millions of
// bytes.
namespace stepscope::tfprof {

std::string FormatCount(int64_t count);    // 999, 1.23k, 4.50m, 7.00b
std::string FormatMicros(int64_t micros);  // 13us, 4.54ms, 1.20sec
std::string FormatBytes(int64_t bytes);    // 999B, 2.56KB, 30.46MB

}  // namespace stepscope::tfprof
