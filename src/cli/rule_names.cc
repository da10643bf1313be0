#include "cli/rule_names.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "advise/rule.h"
#include "base/nearest.h"
#include "words/cli.h"

namespace stepscope {

namespace {

constexpr SayFrom<kCliTexts> Say;

}  // namespace

Result<const Rule*> RuleNamed(std::string_view id) {
  if (const Rule* rule = FindRule(id)) return rule;
  std::vector<std::string_view> ids;
  for (const Rule& rule : AllRules()) ids.push_back(rule.id);
  std::vector<std::string_view> near;
  if (const std::string_view nearest = Nearest(id, ids); !nearest.empty()) near.push_back(nearest);
  if (near.empty()) {
    // The beginning of a name, mistyped.
    std::vector<std::string_view> fronts;
    for (const std::string_view other : ids) fronts.push_back(other.substr(0, id.size() + 1));
    const std::string_view front = Nearest(id, fronts);
    for (const std::string_view other : ids) {
      if (!front.empty() && other.starts_with(front)) near.push_back(other);
    }
  }
  // Part of a name, or the name of a family of rules.
  constexpr size_t kMostNames = 3;
  for (const std::string_view other : ids) {
    if (near.size() == kMostNames || id.empty()) break;
    if (other.find(id) != std::string_view::npos && (near.empty() || other != near.front())) {
      near.push_back(other);
    }
  }
  return Fail(ErrorCode::kUsage, Say("cli.no-rule", id), {},
              near.empty() ? Say("cli.list-rules")
                           : Say("cli.near-rules", fmt::format("{}", fmt::join(near, " or "))));
}

}  // namespace stepscope
