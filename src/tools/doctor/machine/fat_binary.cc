#include "tools/doctor/machine/fat_binary.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace stepscope {
namespace {

constexpr uint32_t kMagic = 0xba55ed50;
constexpr size_t kHeader = 16;
constexpr size_t kEntry = 32;  // the part of an entry's header that is read
constexpr uint16_t kPtx = 1;
constexpr uint16_t kSass = 2;

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The entries of one fat binary; false when they do not fill it exactly enough.
bool ParseEntries(std::string_view entries, GpuCode& code) {
  std::set<uint32_t> sass;
  std::set<uint32_t> ptx;
  bool whole = true;
  while (entries.size() >= kEntry) {
    const auto kind = Load<uint16_t>(entries, 0);
    const auto header = Load<uint32_t>(entries, 4);
    const auto payload = Load<uint64_t>(entries, 8);
    const auto architecture = Load<uint32_t>(entries, 28);
    if (kind == 0 && header == 0) break;  // padding
    if (header < kEntry || header > entries.size() || payload > entries.size() - header) {
      whole = false;
      break;
    }
    if (kind == kSass) sass.insert(architecture);
    if (kind == kPtx) ptx.insert(architecture);
    entries.remove_prefix(header + payload);
  }
  for (const uint32_t architecture : sass) ++code.sass[architecture];
  for (const uint32_t architecture : ptx) ++code.ptx[architecture];
  return whole;
}

void Divide(const std::map<uint32_t, uint64_t>& counts, uint64_t most, std::vector<uint32_t>& all,
            std::vector<uint32_t>& some) {
  for (const auto& [architecture, count] : counts) {
    (count * 2 >= most ? all : some).push_back(architecture);
  }
}

}  // namespace

void GpuCode::Merge(const GpuCode& other) {
  fat_binaries += other.fat_binaries;
  bytes += other.bytes;
  damaged += other.damaged;
  for (const auto& [architecture, count] : other.sass) sass[architecture] += count;
  for (const auto& [architecture, count] : other.ptx) ptx[architecture] += count;
}

GpuCode ParseFatBinaries(std::string_view section) {
  GpuCode code;
  size_t at = 0;
  while (section.size() - at >= kHeader) {
    if (Load<uint32_t>(section, at) != kMagic) {
      at += 8;
      if (at > section.size()) break;
      continue;
    }
    const auto header = Load<uint16_t>(section, at + 6);
    const auto size = Load<uint64_t>(section, at + 8);
    const size_t left = section.size() - at;
    if (header < kHeader || header > left || size > left - header) {
      ++code.damaged;
      at += 8;
      continue;
    }
    ++code.fat_binaries;
    code.bytes += size;
    if (!ParseEntries(section.substr(at + header, size), code)) ++code.damaged;
    at += (header + size + 7) / 8 * 8;
    if (at > section.size()) break;
  }
  return code;
}

BuiltFor BuiltForOf(const GpuCode& code) {
  uint64_t most = 0;
  for (const auto& [architecture, count] : code.sass) most = std::max(most, count);
  for (const auto& [architecture, count] : code.ptx) most = std::max(most, count);
  BuiltFor built;
  Divide(code.sass, most, built.sass, built.some_sass);
  Divide(code.ptx, most, built.ptx, built.some_ptx);
  return built;
}

}  // namespace stepscope
