#include "command/damage.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "command/errors.h"
#include "command/terminal_language.h"
#include "io/input_damage.h"
#include "present/unicode.h"
#include "present/words.h"
#include "words/command.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCommandTexts> Say;

struct Telling {
  bool strict = false;
  bool shown = false;
};
Telling& ThisRun() {
  static Telling telling;
  return telling;
}

}  // namespace

void BeStrict() { ThisRun().strict = true; }

void DamageIsShown() { ThisRun().shown = true; }

std::string DamageText() {
  std::string text;
  for (const InputDamage& damage : DamageSoFar()) {
    const Language language = TerminalLanguage();
    text +=
        Printable(damage.file) + ": " + Printable(Render(QualitySentence(damage.entry), language));
    if (damage.offset) text += Render(Say("command.at-byte", *damage.offset), language);
    text += '\n';
  }
  return text;
}

int EndWithDamage(std::string_view verb, int exit_code) {
  const Telling telling = std::exchange(ThisRun(), {});
  const std::string text = DamageText();
  if (text.empty()) return exit_code;
  if (!telling.shown || telling.strict) {
    std::string lines;
    for (std::string_view rest = text; !rest.empty();) {
      const size_t end = rest.find('\n') + 1;
      lines += fmt::format("stepscope {}: {}", verb, rest.substr(0, end));
      rest.remove_prefix(end);
    }
    std::fwrite(lines.data(), 1, lines.size(), stderr);
  }
  const bool fails = telling.strict && (exit_code == kExitFine || exit_code == kExitGateFailed);
  return fails ? kExitCannotRead : exit_code;
}

void WriteDamage(JsonWriter& json) {
  json.Key("quality");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const InputDamage& damage : DamageSoFar()) {
    json.BeginObject();
    json.Field("file", damage.file);
    json.Field("code", damage.code);
    json.Field("severity", NameOf(SeverityOf(damage.entry.code)));
    json.Field("sentence", QualitySentence(damage.entry));
    json.Field("count", damage.entry.count);
    json.Field("offset", damage.offset);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace stepscope
