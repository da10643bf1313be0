#include "fleet/path_pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "words/fleet.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;

enum class Meaning : uint8_t { kText, kNumber };

struct Name {
  std::string_view name;
  Meaning meaning;
};
constexpr std::array kNames = std::to_array<Name>({{"job", Meaning::kText},
                                                   {"run", Meaning::kText},
                                                   {"host", Meaning::kText},
                                                   {"attempt", Meaning::kNumber},
                                                   {"rank", Meaning::kNumber},
                                                   {"world", Meaning::kNumber}});

std::optional<int64_t> Number(std::string_view digits) {
  int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

template <typename T>
void Learn(std::optional<T>& known, std::optional<T> told) {
  if (!known) known = std::move(told);
}

void Learn(PathFacts& facts, std::string_view name, std::string_view text) {
  if (name == "job") Learn(facts.job, std::optional(std::string(text)));
  if (name == "run") Learn(facts.run, std::optional(std::string(text)));
  if (name == "host") Learn(facts.host, std::optional(std::string(text)));
  if (name == "attempt") Learn(facts.attempt, Number(text));
  if (name == "rank") Learn(facts.rank, Number(text));
  if (name == "world") Learn(facts.world_size, Number(text));
}

}  // namespace

Result<PathPattern> PathPattern::Parse(std::string_view pattern) {
  PathPattern made;
  std::string text = "(?:^|/)";
  const auto wrong = [](Message what) {
    return Fail(ErrorCode::kUsage, std::move(what), {}, Say("fleet.pattern-takes"));
  };
  std::string_view rest = pattern;
  while (!rest.empty()) {
    if (rest.starts_with("**")) {
      text += ".*";
      rest.remove_prefix(2);
    } else if (rest.starts_with('*')) {
      text += "[^/]*";
      rest.remove_prefix(1);
    } else if (rest.starts_with('{')) {
      const size_t close = rest.find('}');
      if (close == std::string_view::npos) return wrong(Say("fleet.pattern-open"));
      const std::string_view name = rest.substr(1, close - 1);
      const auto* known = std::ranges::find(kNames, name, &Name::name);
      if (known == kNames.end()) return wrong(Say("fleet.pattern-unknown", name));
      if (std::ranges::find(made.names_, name) != made.names_.end()) {
        return wrong(Say("fleet.pattern-twice", name));
      }
      made.names_.emplace_back(name);
      text += known->meaning == Meaning::kNumber ? "([0-9]+)" : "([^/]+?)";
      rest.remove_prefix(close + 1);
    } else {
      const size_t end = std::min(rest.find_first_of("{*"), rest.size());
      text += re2::RE2::QuoteMeta(re2::StringPiece(rest.data(), end));
      rest.remove_prefix(end);
    }
  }
  if (made.names_.empty()) return wrong(Say("fleet.pattern-empty"));
  made.expression_ = std::make_shared<const re2::RE2>(text + "$");
  return made;
}

bool PathPattern::Match(std::string_view path, PathFacts& facts) const {
  std::vector<re2::StringPiece> groups(names_.size() + 1);
  if (!expression_->Match(re2::StringPiece(path.data(), path.size()), 0, path.size(),
                          re2::RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
    return false;
  }
  for (size_t i = 0; i < names_.size(); ++i) {
    Learn(facts, names_[i], {groups[i + 1].data(), groups[i + 1].size()});
  }
  return true;
}

}  // namespace stepscope::fleet
