#include "tools/tfprof/regexes.h"

#include <re2/re2.h>

namespace stepscope::tfprof {
namespace {

re2::RE2::Options Quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

struct Regexes::Compiled {
  explicit Compiled(const std::string& pattern) : regex(pattern, Quiet()) {}
  re2::RE2 regex;
};

Regexes::Regexes(const std::vector<std::string>& patterns)
    : everything_(patterns.size() == 1 && patterns[0] == ".*") {
  for (const std::string& pattern : patterns) {
    compiled_.push_back(std::make_unique<Compiled>(pattern));
  }
}
Regexes::~Regexes() = default;
Regexes::Regexes(Regexes&&) noexcept = default;
Regexes& Regexes::operator=(Regexes&&) noexcept = default;

size_t Regexes::size() const { return compiled_.size(); }

bool Regexes::Matches(size_t regex, std::string_view text) const {
  const Compiled& each = *compiled_[regex];
  return each.regex.ok() &&
         re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), each.regex);
}

bool Regexes::AnyMatches(std::string_view text) const {
  for (size_t i = 0; i < compiled_.size(); ++i) {
    if (Matches(i, text)) return true;
  }
  return false;
}

std::vector<std::string> FaultsOf(const std::vector<std::string>& patterns) {
  std::vector<std::string> faults;
  for (const std::string& pattern : patterns) {
    const re2::RE2 regex(pattern, Quiet());
    if (!regex.ok()) faults.push_back(regex.error() + " in '" + pattern + "'");
  }
  return faults;
}

}  // namespace stepscope::tfprof
