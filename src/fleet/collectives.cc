#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "fleet/trace_rows.h"
#include "ranks/digest_trace.h"
#include "ranks/statistics.h"

namespace stepscope::fleet {
namespace {

// Sizes that differ by less than a factor of two behave alike.
int64_t SizeClass(int64_t bytes) {
  return bytes <= 0 ? bytes : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
}

using Key = std::tuple<std::string, CollectiveType, int64_t>;  // group, type, class

struct Calls {
  int64_t group_size = -1;
  int64_t bytes = 0;
  std::vector<int64_t> lengths;
};

}  // namespace

std::vector<CollectiveTotal> CollectivesOf(const Reported& reported, uint32_t trace) {
  const RankDigest digest = DigestOf(*reported.linked, *reported.report);
  std::map<Key, Calls> classes;
  for (const RankCall& call : digest.calls) {
    const CallSignature& signature = digest.signatures[call.signature];
    const RankGroup& group = digest.groups[signature.group];
    Calls& calls = classes[{group.name, signature.type, SizeClass(signature.bytes)}];
    calls.group_size = group.size;
    calls.bytes += std::max<int64_t>(signature.bytes, 0);
    calls.lengths.push_back(digest.DurationOf(call).ns);
  }
  std::vector<CollectiveTotal> rows;
  for (auto& [key, calls] : classes) {
    const auto& [group, type, size_class] = key;
    CollectiveTotal row;
    row.trace = trace;
    row.group = group;
    if (calls.group_size >= 0) row.group_size = calls.group_size;
    row.type = NameOf(type);
    if (size_class >= 0) {
      row.bytes_from = size_class;
      row.bytes = calls.bytes;
    }
    row.calls = calls.lengths.size();
    for (const int64_t length : calls.lengths) row.total.ns += length;
    row.min.ns = std::ranges::min(calls.lengths);
    row.max.ns = std::ranges::max(calls.lengths);
    row.p50.ns = Median(std::move(calls.lengths));
    row.on_host = digest.on_host;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stepscope::fleet
