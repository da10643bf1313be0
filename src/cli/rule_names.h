#pragma once

#include <string_view>

#include "advise/rule.h"
#include "base/result.h"

namespace stepscope {

// The rule of that id, or an Error that names the nearest one.
Result<const Rule*> RuleNamed(std::string_view id);

}  // namespace stepscope
