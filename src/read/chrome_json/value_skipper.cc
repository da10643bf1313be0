#include "read/chrome_json/value_skipper.h"

#include <algorithm>
#include <cstddef>

namespace stepscope::chrome_json {
namespace {

// The first quotation mark or backslash from `at` on, or the end of the piece.
size_t FindStringStop(std::string_view piece, size_t at) {
  const size_t quote = std::min(piece.find('"', at), piece.size());
  return std::min(piece.substr(0, quote).find('\\', at), quote);
}

}  // namespace

bool ValueSkipper::Feed(std::string_view piece) {
  for (size_t at = 0; at < piece.size(); ++at) {
    const char c = piece[at];
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    switch (state_) {
      case State::kStart:
        state_ = c == '"' ? State::kString : opens ? State::kNested : State::kScalar;
        depth_ = opens ? 1 : 0;
        break;
      case State::kScalar:
        if (c == ',' || closes || static_cast<unsigned char>(c) <= ' ') {
          used_ = at;
          return true;
        }
        break;
      case State::kNested:
        if (c == '"') state_ = State::kString;
        depth_ += opens ? 1 : closes ? -1 : 0;
        if (depth_ == 0) {
          used_ = at + 1;
          return true;
        }
        break;
      case State::kString:
        if (c == '\\') {
          state_ = State::kEscape;
        } else if (c == '"') {
          state_ = State::kNested;
          if (depth_ == 0) {
            used_ = at + 1;
            return true;
          }
        } else {
          at = FindStringStop(piece, at) - 1;
        }
        break;
      case State::kEscape:
        state_ = State::kString;
        break;
    }
  }
  used_ = piece.size();
  return false;
}

}  // namespace stepscope::chrome_json
