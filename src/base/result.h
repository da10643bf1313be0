#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "base/message.h"

namespace stepscope {

// What went wrong, coarse enough to choose an exit code by.
enum class ErrorCode : uint8_t {
  kCannotRead,   // the file is missing, unreadable or not what any reader knows
  kDamaged,      // recognised, but nothing in it could be used
  kUsage,        // the user asked for something that does not exist
  kUnsupported,  // recognised and named, but not read here
  kCannotWrite,
  kInterrupted,
};

// What happened, where, and what to do next, in no language yet: who prints it renders the
// messages. Empty fields are left out.
struct Error {
  ErrorCode code = ErrorCode::kCannotRead;
  Sentences sentence;
  std::string file;
  std::optional<uint64_t> offset;  // bytes into the (uncompressed) file
  Sentences next_step;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(ErrorCode code, Sentences sentence, std::string file = {},
                                   Sentences next_step = {}) {
  return std::unexpected(
      Error{code, std::move(sentence), std::move(file), std::nullopt, std::move(next_step)});
}

}  // namespace stepscope
