#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "read/xplane/stat_roles.h"
#include "trace/kind.h"

namespace stepscope::xplane {

// The stats of device work as its writer puts them: the correlation, then the same bytes each time
// that the kernel runs.
struct WorkStats {
  uint64_t correlation = 0;  // 0: they begin with something else
  std::string_view rest;
};
WorkStats SplitWorkStats(std::string_view stats, const char* readable,
                         const std::vector<StatRole>& roles);

// Device work that was read before. Steps run the same kernels in the same order, so the one that
// followed last time is as a rule the next, and its stats need not be read again: comparing their
// bytes takes a tenth of the time.
class RepeatedWork {
 public:
  struct Known {
    uint64_t metadata_id = 0;
    std::string_view rest;  // of its stats
    StringId name = kEmptyString;
    StringId op = kEmptyString;
    uint32_t number = 0;  // DeviceTable::NumberOf
    uint32_t next = 0;    // the one that followed
    Kind kind = Kind::kKernel;
  };

  // Null where it is not known. Valid until the next Add.
  const Known* Find(uint64_t metadata_id, std::string_view rest);
  // Where it was not found. The bytes must outlive this.
  void Add(const Known& known);

 private:
  static uint64_t HashOf(uint64_t metadata_id, std::string_view rest);
  const Known* Follow(uint32_t at);

  std::vector<Known> known_;
  std::unordered_map<uint64_t, uint32_t> by_hash_;
  uint32_t last_ = 0;
};

}  // namespace stepscope::xplane
