#include "read/chrome_json/interner.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "read/chrome_json/ort_shapes.h"
#include "read/chrome_json/text.h"

namespace stepscope::chrome_json {

Interner::Interner(StringTable& strings, Diagnostics& diagnostics)
    : strings_(strings), diagnostics_(diagnostics), slots_(4096) {}

StringId Interner::Intern(const Text& text, Reading reading) {
  if (text.size == 0) return kEmptyString;
  const auto hash =
      static_cast<uint32_t>(XXH3_64bits(text.data, text.size)) + static_cast<uint32_t>(reading);
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].data != nullptr; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && slot.size == text.size && slot.reading == reading &&
        std::memcmp(slot.data, text.data, text.size) == 0) {
      return slot.id;
    }
  }
  const StringId id = Clean(text, reading);
  slots_[at] = {text.data, text.size, hash, id, reading};
  if (++used_ * 2 > slots_.size()) Grow();
  return id;
}

StringId Interner::Clean(const Text& text, Reading reading) {
  scratch_.clear();
  switch (reading) {
    case Reading::kString:
      if (!text.escaped && IsValidUtf8(text.view())) return strings_.Intern(text.view());
      AppendUnescaped(text.view(), scratch_);
      break;
    case Reading::kCompactJson:
      AppendCompact(text.view(), scratch_);
      break;
    case Reading::kOrtShapes:
      AppendOrtShapes(text.view(), scratch_);
      break;
    case Reading::kOrtTypes:
      AppendOrtTypes(text.view(), scratch_);
      break;
  }
  if (!IsValidUtf8(scratch_)) {
    std::string repaired;
    AppendRepairedUtf8(scratch_, repaired);
    diagnostics_.Add(Diagnostic::kInvalidUtf8, 1, std::nullopt, repaired.substr(0, 60));
    return strings_.Intern(repaired);
  }
  return strings_.Intern(scratch_);
}

void Interner::Grow() {
  std::vector<Slot> bigger(slots_.size() * 2);
  const size_t mask = bigger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.data == nullptr) continue;
    size_t at = slot.hash & mask;
    while (bigger[at].data != nullptr) at = (at + 1) & mask;
    bigger[at] = slot;
  }
  slots_ = std::move(bigger);
}

}  // namespace stepscope::chrome_json
