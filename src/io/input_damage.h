#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"

namespace stepscope {

// True where bytes of the file are cut, damaged or could not be read as what they claim to be: what
// --strict fails on. All else is something that the profiler did.
bool IsDamage(Diagnostic diagnostic);

// What is wrong with the bytes of the files that a command reads: one list for the whole process,
// so that no verb can forget to tell it. Whatever reads a file notes what it finds here too;
// cli/program.cc tells it when the verb has ended, and --strict makes it an exit code.
struct InputDamage {
  std::string file;
  std::string code;               // as in `quality[].code`
  Diagnostics::Entry entry = {};  // its sentence and count
  std::optional<uint64_t> offset;

  bool operator==(const InputDamage& other) const {
    return file == other.file && code == other.code && offset == other.offset &&
           entry.count == other.entry.count && entry.sentence == other.entry.sentence;
  }
};

// From now on damage is remembered. For commands; a process that goes on (the server, Python) shows
// the damage of a profile with that profile.
void RememberDamage();
// Thread-safe; the same damage is noted once.
void NoteDamage(const std::string& file, const Diagnostics& diagnostics);
void NoteDamage(const std::string& file, std::string_view code, Sentences sentence,
                std::optional<uint64_t> offset = std::nullopt);
void NoteDamage(const std::string& file, const Error& error);
std::vector<InputDamage> DamageSoFar();

}  // namespace stepscope
