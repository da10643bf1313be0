#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace stepscope::chrome_json {

// The first place in [at, end) that looks like the start of an event after another one (`},{"` with
// any white space), or `end`. It ignores quotation marks, so this is a guess.
const char* FindEventBorder(const char* at, const char* end);

// Guesses where an event list may be cut. It learns how this file separates events from the first
// two, so that objects nested in an event are rarely taken for events; whoever uses a guess has to
// verify it.
class BorderGuess {
 public:
  // `text` begins between events.
  void Learn(std::span<const char> text);
  // Offset of the last place in `text` where an event seems to begin; 0 when there is none.
  size_t Last(std::span<const char> text) const;

 private:
  std::string separator_;  // from the brace to the first quotation mark behind the next brace
};

}  // namespace stepscope::chrome_json
