#include "command/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/nearest.h"
#include "words/command.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCommandTexts> Say;

std::vector<std::string> SplitNames(std::string_view names) {
  std::vector<std::string> out;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    out.emplace_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return out;
}

template <typename T>
bool ParseAll(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string Joined(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// A word that looks like an option but for "-" (standard input).
bool LooksLikeOption(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

OptionParser::OptionParser(std::string_view verb, std::string_view usage, Sentences about)
    : verb_(verb), usage_(usage), about_(std::move(about)) {}

void OptionParser::Add(std::string_view names, std::string_view metavar, Sentences help,
                       std::function<Sentences(std::string_view)> accept) {
  options_.push_back(
      {SplitNames(names), std::string(metavar), std::move(help), std::move(accept), {}});
}

void OptionParser::Flag(std::string_view names, Sentences help, bool* into) {
  Add(names, "", std::move(help), [into](std::string_view) {
    *into = true;
    return Sentences();
  });
}

void OptionParser::Text(std::string_view names, std::string_view metavar, Sentences help,
                        std::string* into) {
  Add(names, metavar, std::move(help), [into](std::string_view value) {
    *into = value;
    return Sentences();
  });
}

void OptionParser::Texts(std::string_view names, std::string_view metavar, Sentences help,
                         std::vector<std::string>* into) {
  Add(names, metavar, std::move(help), [into](std::string_view value) {
    into->emplace_back(value);
    return Sentences();
  });
}

void OptionParser::Integer(std::string_view names, std::string_view metavar, Sentences help,
                           int64_t* into, int64_t least, int64_t most) {
  Add(names, metavar, std::move(help), [=](std::string_view value) -> Sentences {
    int64_t parsed = 0;
    if (!ParseAll(value, parsed)) return Say("command.whole-number");
    if (parsed < least) return Say("command.least", least);
    if (parsed > most) return Say("command.most", most);
    *into = parsed;
    return {};
  });
}

void OptionParser::Number(std::string_view names, std::string_view metavar, Sentences help,
                          double* into) {
  Add(names, metavar, std::move(help), [into](std::string_view value) -> Sentences {
    double parsed = 0;
    if (!ParseAll(value, parsed)) return Say("command.number");
    *into = parsed;
    return {};
  });
}

void OptionParser::Choice(std::string_view names, std::vector<std::string> choices, Sentences help,
                          std::string* into) {
  const std::string metavar = Joined(choices, "|");
  Add(names, metavar, std::move(help),
      [into, choices = std::move(choices)](std::string_view value) -> Sentences {
        if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
          return Say("command.one-of", Joined(choices, ", "));
        }
        *into = value;
        return {};
      });
}

void OptionParser::Custom(std::string_view names, std::string_view metavar, Sentences help,
                          std::function<Sentences(std::string_view)> accept) {
  Add(names, metavar, std::move(help), std::move(accept));
}

void OptionParser::Positionals(std::string_view metavar, std::vector<std::string>* into,
                               size_t least, size_t most) {
  positional_metavar_ = metavar;
  positionals_ = into;
  least_positionals_ = least;
  most_positionals_ = most;
}

void OptionParser::Section(Sentences title) {
  options_.push_back({{}, {}, {}, {}, std::move(title)});
}

void OptionParser::Example(std::string_view command, Sentences what) {
  examples_.push_back({std::string(command), std::move(what)});
}

const OptionParser::Option* OptionParser::Find(std::string_view name) const {
  for (const Option& option : options_) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
      return &option;
    }
  }
  return nullptr;
}

std::unexpected<Error> OptionParser::Wrong(Sentences sentence) const {
  return Fail(ErrorCode::kUsage, std::move(sentence), {}, Say("command.help", verb_));
}

std::unexpected<Error> OptionParser::UnknownOption(std::string_view name) const {
  std::vector<std::string_view> known{"--help"};
  for (const Option& option : options_)
    known.insert(known.end(), option.names.begin(), option.names.end());
  const std::string_view near = Nearest(name, known);
  return Wrong(near.empty() ? Say("command.no-option", name)
                            : Say("command.did-you-mean", name, near));
}

// Takes the option at arguments[at] and returns how many words it used.
Result<size_t> OptionParser::Take(std::span<char*> arguments, size_t at) const {
  const std::string_view word = arguments[at];
  std::string_view name = word;
  std::string_view value;
  bool has_value = false;
  const Option* option = Find(word);
  if (option == nullptr) {
    if (const size_t equals = word.find('='); equals != std::string_view::npos) {
      name = word.substr(0, equals);
      value = word.substr(equals + 1);
      has_value = true;
      option = Find(name);
    } else if (word.size() > 2 && word[1] != '-') {
      option = Find(word.substr(0, 2));
      if (option != nullptr && !option->metavar.empty()) {
        name = word.substr(0, 2);
        value = word.substr(2);
        has_value = true;
      } else {
        option = nullptr;
      }
    }
  }
  if (option == nullptr) return UnknownOption(name);
  if (option->metavar.empty() && has_value) return Wrong(Say("command.no-value", name));
  size_t used = 1;
  if (!option->metavar.empty() && !has_value) {
    if (at + 1 >= arguments.size()) {
      return Wrong(Say("command.needs-value", name, option->metavar));
    }
    value = arguments[at + 1];
    used = 2;
  }
  if (Sentences wrong = option->accept(value); !wrong.empty()) {
    return Wrong(Say("command.wrong-value", name, std::move(wrong), value));
  }
  return used;
}

Result<OptionParser::Outcome> OptionParser::Parse(std::span<char*> arguments) const {
  bool only_positionals = false;
  size_t positionals = 0;
  for (size_t at = 0; at < arguments.size();) {
    const std::string_view word = arguments[at];
    if (!only_positionals && word == "--") {
      only_positionals = true;
      ++at;
    } else if (!only_positionals && (word == "--help" || word == "-h") && Find(word) == nullptr) {
      return Outcome::kHelp;
    } else if (!only_positionals && LooksLikeOption(word)) {
      const Result<size_t> used = Take(arguments, at);
      if (!used) return std::unexpected(used.error());
      at += *used;
    } else {
      if (positionals_ == nullptr || ++positionals > most_positionals_) {
        return Wrong(Say("command.too-many", word));
      }
      positionals_->emplace_back(word);
      ++at;
    }
  }
  if (positionals < least_positionals_) {
    return Wrong(Say("command.missing", positional_metavar_));
  }
  return Outcome::kRun;
}

std::string OptionParser::Help(Language language) const {
  const auto say = [language](const Messages& messages) { return Render(messages, language); };
  std::string out = say(Say("command.usage", verb_, usage_));
  out += fmt::format("\n\n{}\n", say(about_));
  size_t width = 0;
  const auto left = [](const Option& option) {
    return Joined(option.names, ", ") + (option.metavar.empty() ? "" : " " + option.metavar);
  };
  for (const Option& option : options_) {
    if (const size_t size = left(option).size(); size <= 26) width = std::max(width, size);
  }
  out += '\n';
  for (const Option& option : options_) {
    if (option.names.empty()) {
      out += fmt::format("\n{}\n", say(option.section));
      continue;
    }
    const std::string text = left(option);
    std::string help = say(option.help);
    for (size_t at = help.find('\n'); at != std::string::npos; at = help.find('\n', at + 1)) {
      help.insert(at + 1, width + 4, ' ');  // below the first line
    }
    if (text.size() <= width) {
      out += fmt::format("  {:<{}}  {}\n", text, width, help);
    } else {
      out += fmt::format("  {}\n  {:<{}}  {}\n", text, "", width, help);
    }
  }
  if (!examples_.empty()) out += fmt::format("\n{}\n", say(Say("command.examples")));
  for (const ExampleLine& example : examples_) {
    out += fmt::format("  {}\n      {}\n", example.command, say(example.what));
  }
  return out;
}

}  // namespace stepscope
