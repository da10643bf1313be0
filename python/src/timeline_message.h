#pragma once

#include <memory>
#include <string>

#include "read/run_metadata/run_metadata_proto.h"

namespace stepscope::python {

struct RunMessage {
  std::string bytes;
  RunMetadata metadata;  // looks into bytes
};

// A serialized RunMetadata, or the StepStats of one: told apart by content. Raises ReadError for
// anything else. Needs the GIL.
std::unique_ptr<RunMessage> ParseRunMessage(std::string message);

}  // namespace stepscope::python
