#pragma once

#include <string>

#include "present/style.h"
#include "tools/tune/trial.h"

namespace stepscope::tune {

std::string TunedText(const Tuned& tuned, const diff::Settings& settings, const Style& style);
std::string TunedJson(const Tuned& tuned, const diff::Settings& settings);

// "as it is" or the variables.
Message InWords(const Setting& setting);
// How a run failed.
Message HowItFailed(const Measured& run);

}  // namespace stepscope::tune
