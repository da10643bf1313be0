#pragma once

#include <span>
#include <string>

#include "base/language.h"
#include "study/reported.h"

namespace stepscope {

// What the list of profiles and the navigation of the page say of a profile that was read: its
// framework, devices, verdict, median step, worst findings, and which pages it can fill. JSON, as
// docs/serve.md describes it.
std::string AboutJson(std::span<const Reported> reports, bool has_graph, Language language);

// In each language, because it is kept when the profile is given up.
struct ProfileAbout {
  std::string english, chinese;

  const std::string& In(Language language) const {
    return language == Language::kChinese ? chinese : english;
  }
};

}  // namespace stepscope
