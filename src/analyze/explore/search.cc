#include "analyze/explore/search.h"

#include <re2/re2.h>

#include <algorithm>

#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

}  // namespace

Result<SearchHits> SearchNames(const Trace& trace, std::string_view wanted, SearchMode mode) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(mode == SearchMode::kRegex);
  options.set_literal(mode == SearchMode::kText);
  options.set_max_mem(int64_t{8} << 20);
  const RE2 expression(re2::StringPiece(wanted.data(), wanted.size()), options);
  if (!expression.ok()) {
    return Fail(ErrorCode::kUsage, Say("read.no-regex", expression.error()));
  }
  const Slices& slices = trace.slices;
  enum : uint8_t { kUnknown, kNo, kYes };
  std::vector<uint8_t> matches(trace.strings.size(), kUnknown);
  SearchHits hits;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    uint8_t& known = matches[Index(slices.name[row])];
    if (known == kUnknown) {
      const std::string_view name = trace.strings[slices.name[row]];
      known =
          RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), expression) ? kYes : kNo;
      if (known == kYes) hits.names.push_back(slices.name[row]);
    }
    if (known == kYes) hits.slices.push_back(row);
  }
  hits.count = hits.slices.size();
  const auto earlier = [&](uint32_t a, uint32_t b) {
    return slices.start[a] != slices.start[b] ? slices.start[a] < slices.start[b] : a < b;
  };
  if (hits.slices.size() > SearchHits::kMostHits) {
    std::ranges::nth_element(hits.slices, hits.slices.begin() + SearchHits::kMostHits, earlier);
    hits.slices.resize(SearchHits::kMostHits);
  }
  std::ranges::sort(hits.slices, earlier);
  hits.slices.shrink_to_fit();
  std::ranges::sort(hits.names);
  return hits;
}

}  // namespace stepscope
