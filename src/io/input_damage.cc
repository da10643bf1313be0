#include "io/input_damage.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/event_loss.h"
#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

std::atomic<bool> remembering = false;

struct Noted {
  std::mutex mutex;
  std::vector<InputDamage> damage;
};
Noted& AllNoted() {
  static Noted noted;
  return noted;
}

void Note(InputDamage damage) {
  Noted& noted = AllNoted();
  const std::scoped_lock lock(noted.mutex);
  if (std::ranges::find(noted.damage, damage) == noted.damage.end()) {
    noted.damage.push_back(std::move(damage));
  }
}

}  // namespace

bool IsDamage(Diagnostic diagnostic) {
  return LosesEvents(diagnostic) || diagnostic == Diagnostic::kMalformedEvent ||
         diagnostic == Diagnostic::kTrailingGarbage || diagnostic == Diagnostic::kTooDeep;
}

void RememberDamage() {
  Noted& noted = AllNoted();
  const std::scoped_lock lock(noted.mutex);
  noted.damage.clear();
  remembering = true;
}

void NoteDamage(const std::string& file, const Diagnostics& diagnostics) {
  if (!remembering) return;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    if (!IsDamage(entry.code)) continue;
    std::optional<uint64_t> offset;
    if (!entry.examples.empty()) offset = entry.examples.front().offset;
    Note({file, std::string(CodeOf(entry.code)), entry, offset});
  }
}

void NoteDamage(const std::string& file, std::string_view code, Sentences sentence,
                std::optional<uint64_t> offset) {
  if (!remembering) return;
  Note({file, std::string(code),
        Diagnostics::Entry{Diagnostic::kFileTruncated, 1, {}, Say("io.said", std::move(sentence))},
        offset});
}

void NoteDamage(const std::string& file, const Error& error) {
  NoteDamage(error.file.empty() ? file : error.file, "damaged", error.sentence, error.offset);
}

std::vector<InputDamage> DamageSoFar() {
  Noted& noted = AllNoted();
  const std::scoped_lock lock(noted.mutex);
  return noted.damage;
}

}  // namespace stepscope
