#pragma once

#include <string_view>

#include "base/result.h"
#include "tools/tfprof/options.h"

namespace stepscope::python {

// A serialized OptionsProto, with the meaning TensorFlow gives it: what is absent is 0 or empty, no
// default. dump_to_file, where given, takes the place of output.
Result<tfprof::Options> ParseTfprofOptions(std::string_view message);

}  // namespace stepscope::python
