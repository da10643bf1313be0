#pragma once

#include <string_view>

#include "link/steps.h"

namespace stepscope {

// `why_unused` of the tables; empty for a used step.
std::string_view NameOf(WhyUnused why);

}  // namespace stepscope
