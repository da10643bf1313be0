#include "query/names.h"

#include <algorithm>
#include <utility>

namespace stepscope::query {

Names::Names(std::vector<const StringTable*> traces) : traces_(std::move(traces)), bases_{0} {
  for (const StringTable* strings : traces_) bases_.push_back(bases_.back() + strings->size());
}

const std::vector<uint32_t>& Names::canonical() const {
  std::call_once(once_, [this] {
    canonical_.resize(size());
    StringTable all;
    std::vector<uint32_t> first;  // by id in `all`
    for (size_t t = 0; t < traces_.size(); ++t) {
      for (uint32_t id = 0; id < traces_[t]->size(); ++id) {
        const uint32_t number = bases_[t] + id;
        const uint32_t known = Index(all.Intern((*traces_[t])[StringId{id}]));
        if (known >= first.size()) first.push_back(number);
        canonical_[number] = first[known];
      }
    }
  });
  return canonical_;
}

std::optional<uint32_t> Names::Find(std::string_view text) const {
  for (size_t t = 0; t < traces_.size(); ++t) {
    const StringId id = traces_[t]->Find(text);
    if (id != kEmptyString || text.empty()) return bases_[t] + Index(id);
  }
  return std::nullopt;
}

std::string_view Names::TextOf(uint32_t key) const {
  const auto after = std::upper_bound(bases_.begin(), bases_.end(), key);
  if (after == bases_.begin() || after == bases_.end()) return {};
  const auto trace = static_cast<size_t>(after - bases_.begin()) - 1;
  return (*traces_[trace])[StringId{key - bases_[trace]}];
}

}  // namespace stepscope::query
