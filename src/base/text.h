#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope {

// A message in each language. Holes carry a name and the unit that decides how the argument reads:
//   "{wait:duration} of each {step:duration} step ({share:percent})"
// A hole without a unit takes text or another message. "{step is|steps are}" chooses by the last
// number before it, "{steps?step|steps}" by the number of that name. "{{" is a brace.
// Code and names that read the same in every language have no Chinese.
struct Text {
  std::string_view id;
  std::string_view english;
  std::string_view chinese{};
};

// A piece of a template: some characters, then a hole.
struct TextPiece {
  std::string_view plain;
  bool has_hole = false;
  std::string_view name, unit;    // of an argument
  bool is_choice = false;         // between the words for one and for several
  std::string_view one, several;  // name is that of the number, or empty
};

// Takes the first piece off a template that is not empty.
constexpr TextPiece TakePiece(std::string_view& rest) {
  TextPiece piece;
  const size_t open = rest.find('{');
  if (open == std::string_view::npos || rest.substr(open + 1).starts_with('{')) {
    const size_t end = open == std::string_view::npos ? rest.size() : open + 1;
    piece.plain = rest.substr(0, end);
    rest.remove_prefix(open == std::string_view::npos ? end : end + 1);
    return piece;
  }
  const size_t close = rest.find('}', open);
  if (close == std::string_view::npos) throw "a hole is not closed";
  piece.plain = rest.substr(0, open);
  piece.has_hole = true;
  std::string_view hole = rest.substr(open + 1, close - open - 1);
  rest.remove_prefix(close + 1);
  if (const size_t bar = hole.find('|'); bar != std::string_view::npos) {
    const size_t question = hole.find('?');
    const size_t begin = question < bar ? question + 1 : 0;
    piece.is_choice = true;
    if (begin > 0) piece.name = hole.substr(0, question);
    piece.one = hole.substr(begin, bar - begin);
    piece.several = hole.substr(bar + 1);
    return piece;
  }
  const size_t colon = hole.find(':');
  piece.name = hole.substr(0, colon);
  if (colon != std::string_view::npos) piece.unit = hole.substr(colon + 1);
  return piece;
}

// The place of an argument among those of the English template, in the order of their first use;
// the number of arguments where there is none of that name.
constexpr size_t PlaceOf(std::string_view english, std::string_view name) {
  size_t place = 0;
  for (std::string_view rest = english; !rest.empty();) {
    const std::string_view before = english.substr(0, english.size() - rest.size());
    const TextPiece piece = TakePiece(rest);
    if (piece.name.empty()) continue;
    if (piece.name == name) return place;
    bool is_new = true;
    for (std::string_view seen = before; !seen.empty();) {
      if (TakePiece(seen).name == piece.name) is_new = false;
    }
    if (is_new) ++place;
  }
  return place;
}
constexpr size_t ArgumentCount(const Text& text) { return PlaceOf(text.english, {}); }

// The unit of an argument; "int" for one that only chooses words.
constexpr std::string_view UnitOf(std::string_view english, std::string_view name) {
  std::string_view unit = "int";
  for (std::string_view rest = english; !rest.empty();) {
    const TextPiece piece = TakePiece(rest);
    if (piece.name == name && !piece.is_choice) unit = piece.unit;
  }
  return unit;
}

}  // namespace stepscope
