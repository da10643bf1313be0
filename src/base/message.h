#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/language.h"
#include "base/text.h"
#include "base/time.h"

namespace stepscope {

class Message;
// The sentences of a paragraph, or the lines of a fix.
class Messages : public std::vector<Message> {
 public:
  using vector::vector;
  Messages(Message only);  // NOLINT(google-explicit-constructor): one sentence is a paragraph
  Messages& operator+=(Message next);
};
using Argument = std::variant<int64_t, double, DurationNs, std::string, Messages>;

// A sentence that is not yet in any language: a text and its arguments, in the order of
// their first use in the English text. Findings, notes and errors carry these; the outermost layer
// renders them.
class Message {
 public:
  Message() = default;  // says nothing
  // SayFrom below checks at compile time that the arguments fit.
  Message(const Text* text, std::vector<Argument> arguments)
      : text_(text), arguments_(std::move(arguments)) {}

  bool empty() const { return text_ == nullptr; }
  std::string_view id() const { return text_ == nullptr ? std::string_view() : text_->id; }
  const Text* text() const { return text_; }
  const std::vector<Argument>& arguments() const { return arguments_; }
  bool operator==(const Message&) const = default;

 private:
  const Text* text_ = nullptr;
  std::vector<Argument> arguments_;
};

inline Messages::Messages(Message only) {
  if (!only.empty()) push_back(std::move(only));
}
inline Messages& Messages::operator+=(Message next) {
  push_back(std::move(next));
  return *this;
}

// What a file, a person or the system wrote, in no language of ours.
Message Verbatim(std::string_view text);

// Messages, or what another program says, which reads the same in every language. Sentences of
// ours come from words/; scripts/check-words finds those that do not.
class Sentences : public Messages {
 public:
  using Messages::Messages;
  Sentences(Messages messages) : Messages(std::move(messages)) {}   // NOLINT
  Sentences(std::string_view text) : Messages(Verbatim(text)) {}    // NOLINT
  Sentences(const std::string& text) : Messages(Verbatim(text)) {}  // NOLINT
  Sentences(const char* text) : Messages(Verbatim(text)) {}         // NOLINT
};

std::string Render(const Message& message, Language language);
// Sentences one after another, separated as the language does it.
std::string Render(const Messages& messages, Language language);
// Lines of code or advice, one below the other.
std::string RenderLines(const Messages& lines, Language language);

// What logs, tests and programs read.
std::string InEnglish(const Messages& messages);

// "140 ms", "12.3 µs": three significant digits.
std::string InWords(DurationNs duration);
// "71 %"
std::string Percent(double share);

// Which argument a C++ type is, and whether a hole with that unit can show it.
template <class T>
constexpr bool Fits(std::string_view unit) {
  using V = std::remove_cvref_t<T>;
  if constexpr (std::same_as<V, DurationNs>) {
    return unit == "duration" || unit == "limit";
  } else if constexpr (std::same_as<V, char>) {
    return unit.empty();
  } else if constexpr (std::integral<V>) {
    return unit.empty() || unit == "int" || unit == "count" || unit == "bytes" || unit == "gib" ||
           unit == "mb" || unit == "hex";
  } else if constexpr (std::floating_point<V>) {
    return unit == "percent" || unit == "share" || unit == "mean" || unit == "g" ||
           unit.starts_with('.');
  } else {
    return unit.empty();
  }
}

template <class T>
Argument ArgumentOf(T&& value) {
  using V = std::remove_cvref_t<T>;
  if constexpr (std::same_as<V, DurationNs>) {
    return value;
  } else if constexpr (std::same_as<V, char>) {
    return std::string(1, value);
  } else if constexpr (std::integral<V>) {
    return static_cast<int64_t>(value);
  } else if constexpr (std::floating_point<V>) {
    return static_cast<double>(value);
  } else if constexpr (std::same_as<V, Message>) {
    return Messages{std::forward<T>(value)};
  } else if constexpr (std::derived_from<V, Messages>) {
    return Messages(std::forward<T>(value));
  } else {
    return std::string(std::forward<T>(value));
  }
}

// Says messages of a table or of several: `constexpr SayFrom<kInputTexts> Say;`, then
// `Say("missing-prefetch.title", wait)`. It does not compile when the tables have no such id or the
// arguments do not fit the holes of its English text.
template <const auto&... kTables>
struct SayFrom {
  template <class... Args>
  struct Id {
    const Text* text = nullptr;
    consteval Id(const char* id) {  // NOLINT(google-explicit-constructor)
      (LookIn(kTables, id), ...);
      if (text == nullptr) throw "no message has this id";
      if (ArgumentCount(*text) != sizeof...(Args)) throw "the message takes other arguments";
      size_t place = 0;
      if (!(FitsAt<Args>(place++) && ...)) throw "an argument does not fit the unit of its hole";
    }
    consteval void LookIn(const auto& table, std::string_view id) {
      for (const Text& row : table) {
        if (row.id == id) text = &row;
      }
    }
    template <class T>
    consteval bool FitsAt(size_t place) const {
      for (std::string_view rest = text->english; !rest.empty();) {
        const TextPiece piece = TakePiece(rest);
        if (piece.name.empty() || PlaceOf(text->english, piece.name) != place) continue;
        return Fits<T>(UnitOf(text->english, piece.name));
      }
      return false;
    }
  };

  template <class... Args>
  Message operator()(Id<std::type_identity_t<Args>...> id, Args&&... args) const {
    std::vector<Argument> arguments;
    arguments.reserve(sizeof...(Args));
    (arguments.push_back(ArgumentOf(std::forward<Args>(args))), ...);
    return {id.text, std::move(arguments)};
  }
};

}  // namespace stepscope
