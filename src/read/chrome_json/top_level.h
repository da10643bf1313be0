#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// What the members beside the event list say. Only the members named here are kept; all others,
// above all environment variables, are skipped without being read.
struct TopLevel {
  RunFacts facts;
  std::vector<Device> devices;
  std::optional<int64_t> base_time_ns;
  bool kineto = false;  // a member that only Kineto writes
  // What a timeline that Stepscope wrote was made from; empty: nothing is said.
  std::string own_framework;
  std::string own_format;

  // Whether the member is one that Take reads; others need not be held in memory.
  static bool Wants(std::string_view key);
  // `value` is the member's JSON text.
  void Take(std::string_view key, std::string_view value, Diagnostics& diagnostics);
};

}  // namespace stepscope::chrome_json
