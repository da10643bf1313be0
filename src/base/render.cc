#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/message.h"
#include "base/message_saying.h"

namespace stepscope {
namespace {

std::string Grouped(int64_t count) {
  std::string digits = fmt::format("{}", count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

// "12", "2.5": how many of something there are on average.
std::string Mean(double count) {
  const bool whole = count >= 10 || std::abs(count - std::round(count)) < 0.05;
  return fmt::format("{:.{}f}", count, whole ? 0 : 1);
}

std::string Number(double value, std::string_view unit) {
  if (unit == "percent") return Percent(value);
  if (unit == "share") return fmt::format("{:g} %", std::round(value * 1e4) / 100);
  if (unit == "mean") return Mean(value);
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", unit)), value);
}

std::string Integer(int64_t value, std::string_view unit) {
  const auto bytes = static_cast<double>(value);
  if (unit == "count") return Grouped(value);
  if (unit == "hex") return fmt::format("0x{:02x}", value);
  if (unit == "gib") return fmt::format("{:.2f} GiB", bytes / (1 << 30));
  if (unit == "mb") return fmt::format("{:g} MB", bytes / 1e6);
  if (unit == "bytes") {
    return bytes < (1 << 20) ? fmt::format("{:.4g} KiB", bytes / (1 << 10))
                             : fmt::format("{:.4g} MiB", bytes / (1 << 20));
  }
  return fmt::format("{}", value);
}

// A limit in as few digits as it was set with: "1 ms", "50 µs".
std::string Limit(DurationNs duration) {
  const double ns = static_cast<double>(duration.ns);
  if (ns >= 1e9) return fmt::format("{:g} s", ns / 1e9);
  return ns >= 1e6 ? fmt::format("{:g} ms", ns / 1e6) : fmt::format("{:g} µs", ns / 1e3);
}

std::string Shown(const Argument& argument, std::string_view unit, Language language) {
  if (const auto* integer = std::get_if<int64_t>(&argument)) return Integer(*integer, unit);
  if (const auto* number = std::get_if<double>(&argument)) return Number(*number, unit);
  if (const auto* duration = std::get_if<DurationNs>(&argument)) {
    return unit == "limit" ? Limit(*duration) : InWords(*duration);
  }
  if (const auto* messages = std::get_if<Messages>(&argument)) return Render(*messages, language);
  return std::get<std::string>(argument);
}

// Whether the argument is one of something.
bool IsOne(const Argument& argument) {
  if (const auto* integer = std::get_if<int64_t>(&argument)) return *integer == 1;
  if (const auto* number = std::get_if<double>(&argument)) return *number == 1;
  return false;
}

}  // namespace

std::optional<Language> LanguageNamed(std::string_view name) {
  if (name == "en") return Language::kEnglish;
  if (name == "zh") return Language::kChinese;
  return std::nullopt;
}

Language LanguageOf(std::string_view locale) {
  return locale.starts_with("zh") ? Language::kChinese : Language::kEnglish;
}

Message Verbatim(std::string_view text) {
  static constexpr Text kVerbatim{"advice.verbatim", "{text}", "{text}"};
  return text.empty() ? Message() : Message(&kVerbatim, {std::string(text)});
}

Message MessageSaying(std::span<const Text> table, std::string_view english) {
  Message found = Verbatim(english);
  size_t most_words = 0;  // of the text itself: what says more of it in its own words is meant
  for (const Text& text : table) {
    std::vector<Argument> arguments;
    std::string_view said = english;
    size_t words = 0;
    bool fits = true;
    for (std::string_view rest = text.english; fits && !rest.empty();) {
      const TextPiece piece = TakePiece(rest);
      fits = said.starts_with(piece.plain) && piece.unit.empty() && !piece.is_choice;
      if (!fits) break;
      said.remove_prefix(piece.plain.size());
      words += piece.plain.size();
      if (!piece.has_hole) continue;
      // The argument goes on until the words after it.
      std::string_view next = rest;
      const std::string_view after = rest.empty() ? rest : TakePiece(next).plain;
      const size_t end = after.empty() ? said.size() : said.find(after);
      fits = end != std::string_view::npos;
      if (!fits) break;
      arguments.emplace_back(std::string(said.substr(0, end)));
      said.remove_prefix(end);
    }
    if (!fits || !said.empty() || words <= most_words) continue;
    most_words = words;
    found = Message(&text, std::move(arguments));
  }
  return found;
}

std::string InEnglish(const Messages& messages) { return Render(messages, Language::kEnglish); }

std::string Render(const Message& message, Language language) {
  if (message.empty()) return {};
  const Text& text = *message.text();
  const bool chinese = language == Language::kChinese && !text.chinese.empty();
  const Argument* last_number = nullptr;
  std::string out;
  for (std::string_view rest = chinese ? text.chinese : text.english; !rest.empty();) {
    const TextPiece piece = TakePiece(rest);
    out += piece.plain;
    if (!piece.has_hole) continue;
    const size_t place = PlaceOf(text.english, piece.name);
    const Argument* argument =
        place < message.arguments().size() ? &message.arguments()[place] : nullptr;
    if (piece.is_choice) {
      const Argument* number = argument != nullptr ? argument : last_number;
      out += number != nullptr && IsOne(*number) ? piece.one : piece.several;
    } else if (argument != nullptr) {
      out += Shown(*argument, UnitOf(text.english, piece.name), language);
      if (argument->index() <= 1) last_number = argument;
    }
  }
  return out;
}

std::string Render(const Messages& messages, Language language) {
  std::string out;
  for (const Message& message : messages) {
    const std::string sentence = Render(message, language);
    // Chinese sentences follow each other without a space.
    if (!out.empty() && !sentence.empty() && language == Language::kEnglish) out += ' ';
    out += sentence;
  }
  return out;
}

std::string RenderLines(const Messages& lines, Language language) {
  std::string out;
  for (const Message& line : lines) {
    if (!out.empty()) out += '\n';
    out += Render(line, language);
  }
  return out;
}

std::string InWords(DurationNs duration) {
  const double ns = static_cast<double>(duration.ns);
  const auto three = [](double value, const char* unit) {
    const int decimals = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, unit);
  };
  if (std::abs(ns) >= 1e9) return three(ns / 1e9, "s");
  if (std::abs(ns) >= 1e6) return three(ns / 1e6, "ms");
  if (std::abs(ns) >= 1e3) return three(ns / 1e3, "µs");
  return fmt::format("{} ns", duration.ns);
}

std::string Percent(double share) {
  return fmt::format("{:.{}f} %", share * 100, share < 0.1 ? 1 : 0);
}

}  // namespace stepscope
