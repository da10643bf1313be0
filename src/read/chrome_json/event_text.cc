#include "read/chrome_json/event_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json_document.h"
#include "read/chrome_json/value_skipper.h"
#include "words/read.h"

namespace stepscope::chrome_json {
namespace {

constexpr SayFrom<kReadTexts> Say;

constexpr size_t kPiece = size_t{256} << 10;
constexpr size_t kLargestEvent = size_t{16} << 20;

bool IsSeparator(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == '[';
}

std::unexpected<Error> Gone() {
  return Fail(ErrorCode::kDamaged, Say("read.event-moved"), {}, Say("read.read-again"));
}

// Skips `before` values and keeps the next one, fed piece by piece.
class EventWalk {
 public:
  explicit EventWalk(uint64_t before) : before_(before) {}

  // True when the value wanted is complete, or cannot be had.
  bool Feed(std::string_view piece) {
    while (!piece.empty()) {
      if (!inside_) {
        const auto first = std::ranges::find_if_not(piece, IsSeparator);
        piece.remove_prefix(static_cast<size_t>(first - piece.begin()));
        if (piece.empty()) return false;
        if (piece[0] == ']' || piece[0] == '}') return true;
        skipper_ = ValueSkipper();
        inside_ = true;
      }
      const bool ended = skipper_.Feed(piece);
      const size_t used = ended ? skipper_.used() : piece.size();
      if (before_ == 0) text_.append(piece.substr(0, used));
      if (text_.size() > kLargestEvent) return true;
      if (!ended) return false;
      piece.remove_prefix(used);
      inside_ = false;
      if (before_ == 0) {
        found_ = true;
        return true;
      }
      --before_;
    }
    return false;
  }
  std::optional<std::string> Take() && {
    return found_ ? std::optional(std::move(text_)) : std::nullopt;
  }

 private:
  uint64_t before_;
  ValueSkipper skipper_;
  bool inside_ = false;
  bool found_ = false;
  std::string text_;
};

bool IsWordEnd(char c) { return IsSeparator(c) || c == '"' || c == '}' || c == ']' || c == ':'; }

void AppendWord(std::string_view word, std::string& out) {
  constexpr size_t kExactDigits = 15;
  const bool number = word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  const bool plain =
      number ? word.size() <= kExactDigits : word == "true" || word == "false" || word == "null";
  if (plain) {
    out.append(word);
    return;
  }
  out.push_back('"');
  out.append(word);
  out.push_back('"');
}

// Bytes of the UTF-8 sequence at the start, or 0 when there is none.
size_t SequenceLength(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xc2 ? 0
                        : lead < 0xe0 ? 2
                        : lead < 0xf0 ? 3
                        : lead < 0xf5 ? 4
                                      : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = length > 1 ? static_cast<uint8_t>(text[1]) : 0;
  const bool too_long = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool outside = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return too_long || outside ? 0 : length;
}

// Copies a string with its quotation marks; returns the bytes used.
size_t AppendString(std::string_view text, std::string& out) {
  out.push_back('"');
  size_t i = 1;
  while (i < text.size() && text[i] != '"') {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (text[i] == '\\' && i + 1 < text.size()) {
      const bool known = std::string_view("\"\\/bfnrtu").contains(text[i + 1]);
      out.append(known ? "\\" : "\\\\");
      out.push_back(text[i + 1]);
      i += 2;
    } else if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
      ++i;
    } else if (const size_t length = SequenceLength(text.substr(i)); length > 0) {
      out.append(text.substr(i, length));
      i += length;
    } else {
      out += "\xef\xbf\xbd";
      ++i;
    }
  }
  out.push_back('"');
  return std::min(i + 1, text.size());
}

std::string AsOneString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  std::string out;
  AppendString(quoted, out);
  return out;
}

}  // namespace

Result<std::string> ReadEventText(RandomAccess& file, const std::vector<EventPlace>& places,
                                  uint64_t event) {
  const auto after = std::upper_bound(
      places.begin(), places.end(), event,
      [](uint64_t wanted, const EventPlace& place) { return wanted < place.event; });
  if (after == places.begin()) return Gone();
  const EventPlace& place = *std::prev(after);
  // One read for the whole block: a compressed file is entered once.
  const uint64_t block = after == places.end() ? kPiece * 16 : after->offset - place.offset;
  std::string piece(std::clamp<uint64_t>(block + kPiece, kPiece, kLargestEvent), '\0');
  EventWalk walk(event - place.event);
  uint64_t offset = place.offset;
  while (true) {
    const Result<size_t> got = file.Read(offset, piece);
    if (!got) return std::unexpected(got.error());
    if (*got == 0 || walk.Feed(std::string_view(piece).substr(0, *got))) break;
    offset += *got;
  }
  std::optional<std::string> text = std::move(walk).Take();
  if (!text) return Gone();
  return std::move(*text);
}

std::string StrictJson(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i += AppendString(text.substr(i), out);
    } else if (IsWordEnd(c) || c == '{') {
      out.push_back(c);
      ++i;
    } else {
      const auto last = std::find_if(text.begin() + static_cast<ptrdiff_t>(i), text.end(),
                                     [](char end) { return IsWordEnd(end); });
      const auto length = static_cast<size_t>(last - text.begin()) - i;
      AppendWord(text.substr(i, length), out);
      i += length;
    }
  }
  return ParseJson(out) ? out : AsOneString(text);
}

}  // namespace stepscope::chrome_json
