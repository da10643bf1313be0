#include "cli/rule_names.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "advise/advise.h"
#include "base/nearest.h"

namespace stepscope {

Result<const Rule*> RuleNamed(std::string_view id) {
  if (const Rule* rule = FindRule(id)) return rule;
  std::vector<std::string_view> ids;
  for (const Rule& rule : AllRules()) ids.push_back(rule.id);
  const std::string_view nearest = Nearest(id, ids);
  return Fail(ErrorCode::kUsage, fmt::format("No rule '{}'.", id), {},
              nearest.empty() ? "stepscope explain lists all rules"
                              : fmt::format("did you mean {}?", nearest));
}

}  // namespace stepscope
