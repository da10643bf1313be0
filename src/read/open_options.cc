#include "read/open_options.h"

#include <optional>

#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

}  // namespace

Error Interrupted(const std::string& path) {
  return {ErrorCode::kInterrupted, Say("io.interrupted"), path, std::nullopt, {}};
}

}  // namespace stepscope
