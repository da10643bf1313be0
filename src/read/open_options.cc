#include "read/open_options.h"

#include <optional>

namespace stepscope {

Error Interrupted(const std::string& path) {
  return {ErrorCode::kInterrupted, "Reading was interrupted.", path, std::nullopt, {}};
}

}  // namespace stepscope
