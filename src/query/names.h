#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/string_table.h"

namespace stepscope::query {

// The strings of several traces under one numbering: those of trace t begin at BaseOf(t), and a
// string that several traces have is known by the number in the first of them. Safe for several
// threads.
class Names {
 public:
  // Pointers stay the caller's.
  explicit Names(std::vector<const StringTable*> traces);

  // One for each distinct string, and unused ones.
  uint32_t size() const { return bases_.back(); }
  const StringTable& StringsOf(size_t trace) const { return *traces_[trace]; }
  uint32_t KeyOf(size_t trace, StringId id) const {
    return trace == 0 ? Index(id) : canonical()[bases_[trace] + Index(id)];
  }
  std::optional<uint32_t> Find(std::string_view text) const;
  // Empty views for numbers that are not used.
  std::string_view TextOf(uint32_t key) const;

 private:
  const std::vector<uint32_t>& canonical() const;

  const std::vector<const StringTable*> traces_;
  std::vector<uint32_t> bases_;
  mutable std::once_flag once_;
  mutable std::vector<uint32_t> canonical_;  // by number, where there are several traces
};

}  // namespace stepscope::query
