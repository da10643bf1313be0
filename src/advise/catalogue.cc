#include "advise/rule.h"

namespace stepscope {

const std::vector<Rule>& AllRules() {
  static const std::vector<Rule> kAll = [] {
    std::vector<Rule> all;
    for (const std::span<const Rule> group :
         {TrustRules(), InputRules(), FeedRules(), HostRules(), StallRules(), CopyRules(),
          KernelRules(), FusionRules(), CompileRules(), CpuRules(), MemoryRules(),
          CommunicationRules(), OtherRules(), CounterRules(), Lints()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return kAll;
}

const Rule* FindRule(std::string_view id) {
  for (const Rule& rule : AllRules()) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

}  // namespace stepscope
