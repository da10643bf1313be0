#include "read/chrome_json/row_names.h"

#include <algorithm>

namespace stepscope::chrome_json {

std::string SpellingOf(const EventBlock& block, const IdKey& key) {
  if (key.text != kEmptyString) return std::string(block.strings[key.text]);
  return std::to_string(key.number);
}

RowNames::RowNames(std::span<const ParsedChunk> chunks) {
  for (const ParsedChunk& chunk : chunks) {
    const EventBlock& block = chunk.block;
    for (const EventBlock::Metadata& metadata : block.metadata) {
      const EventBlock::TrackKey& track = block.tracks[metadata.track];
      const std::string text(block.strings[metadata.text]);
      if (metadata.key == EventBlock::MetadataKey::kProcessName) {
        processes_[SpellingOf(block, track.process)] = text;
      } else if (metadata.key == EventBlock::MetadataKey::kThreadName) {
        threads_[{SpellingOf(block, track.process), SpellingOf(block, track.thread)}] = text;
      }
    }
  }
}

std::string_view RowNames::Process(const EventBlock& block, const IdKey& process) const {
  const auto at = processes_.find(SpellingOf(block, process));
  return at == processes_.end() ? std::string_view() : at->second;
}

std::string_view RowNames::Thread(const EventBlock& block,
                                  const EventBlock::TrackKey& track) const {
  const auto at =
      threads_.find({SpellingOf(block, track.process), SpellingOf(block, track.thread)});
  return at == threads_.end() ? std::string_view() : at->second;
}

bool RowNames::AnyProcess(std::string_view prefix) const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [&](const auto& process) { return process.second.starts_with(prefix); });
}

}  // namespace stepscope::chrome_json
