#pragma once

#include <cstdint>
#include <string_view>

#include "trace/kind.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// The program that writes a category. The dialects of its categories determine a file's format.
enum class Dialect : uint8_t { kNone, kKineto, kOnnxRuntime, kTensorFlow };

// What a category of complete events means.
struct Category {
  Kind kind = Kind::kOther;
  TrackKind track = TrackKind::kThread;
  Dialect dialect = Dialect::kNone;
};

// The one table of category spellings, from 2021's `Kernel` to today's, of all dialects. Unknown
// ones are kOther.
Category CategoryOf(std::string_view spelt);

// Names tell steps from other annotations, and modules from other Python frames.
Kind KindByName(Kind of_category, std::string_view name);

}  // namespace stepscope::chrome_json
