#pragma once

#include <map>
#include <string>
#include <string_view>

#include "serve/http_server.h"
#include "serve/loaded_profile.h"

namespace stepscope {

// A question about one trace: "tiles", "slice", "search" … with its parameters.
HttpAnswer AnswerAboutTrace(const LoadedTrace& loaded, std::string_view question,
                            const std::map<std::string, std::string>& parameters);

// A sentence for people with a status for programs.
HttpAnswer Refusal(int status, Sentences sentence);

}  // namespace stepscope
