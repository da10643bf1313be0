#pragma once

#include <optional>
#include <string>
#include <vector>

#include "present/style.h"
#include "tools/memory/memory_summary.h"

namespace stepscope {

struct MemoryView {
  const MemorySummary& summary;
  const MemorySummary* against = nullptr;  // an earlier snapshot to compare with
  size_t top = 10;                         // rows of each table
};

std::string MemoryText(const MemoryView& view, const Style& style);
std::string MemoryJson(const MemoryView& view);

// What changed from one snapshot to the other, over all devices: of DeviceMemory::now or
// modules_now.
std::vector<SiteBytes> ChangesOf(const MemorySummary& before, const MemorySummary& after,
                                 std::vector<SiteBytes> DeviceMemory::* of);

}  // namespace stepscope
