#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::tfprof {

// A list of RE2 regexes, compiled once, that match whole texts. One that is not valid matches
// nothing, as in tfprof.
class Regexes {
 public:
  explicit Regexes(const std::vector<std::string>& patterns);
  ~Regexes();
  Regexes(Regexes&&) noexcept;
  Regexes& operator=(Regexes&&) noexcept;

  size_t size() const;
  // The list that is exactly ".*", which tfprof takes as "everything" without matching.
  bool everything() const { return everything_; }
  bool Matches(size_t regex, std::string_view text) const;
  bool AnyMatches(std::string_view text) const;

 private:
  struct Compiled;
  std::vector<std::unique_ptr<Compiled>> compiled_;
  bool everything_ = false;
};

// What is wrong with each pattern that is not valid: "missing ): (abc".
std::vector<std::string> FaultsOf(const std::vector<std::string>& patterns);

}  // namespace stepscope::tfprof
