#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/string_table.h"
#include "read/chrome_json/raw_event.h"

namespace stepscope::chrome_json {

// What a piece of the file's text is to become.
enum class Reading : uint8_t {
  kString,       // the inside of a JSON string
  kCompactJson,  // a value as spelt, white space removed
  kOrtShapes,    // ONNX Runtime's [{"float":[1,3]}] as [[1,3]]
  kOrtTypes,     // the same as ["float"]
};

// Turns texts of one chunk into ids of the block's string table. Escapes, white space and broken
// UTF-8 are dealt with once per distinct spelling; a repeated one costs a hash and a comparison.
// The chunk's text must outlive it.
class Interner {
 public:
  Interner(StringTable& strings, Diagnostics& diagnostics);
  StringId Intern(const Text& text, Reading reading = Reading::kString);

 private:
  struct Slot {
    const char* data = nullptr;
    uint32_t size = 0;
    uint32_t hash = 0;
    StringId id = kEmptyString;
    Reading reading = Reading::kString;
  };

  StringId Clean(const Text& text, Reading reading);
  void Grow();

  StringTable& strings_;
  Diagnostics& diagnostics_;
  std::vector<Slot> slots_;  // open addressing, power of two, at most half full
  size_t used_ = 0;
  std::string scratch_;
};

}  // namespace stepscope::chrome_json
