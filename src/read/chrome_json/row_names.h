#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "read/chrome_json/parsed_chunk.h"

namespace stepscope::chrome_json {

// What a file calls its processes and threads. Ids are as spelt, so that chunks can be compared.
class RowNames {
 public:
  explicit RowNames(std::span<const ParsedChunk> chunks);

  // Empty where the file gives none.
  std::string_view Process(const EventBlock& block, const IdKey& process) const;
  std::string_view Thread(const EventBlock& block, const EventBlock::TrackKey& track) const;
  // Whether any process is called so (`prefix` is the start of a name).
  bool AnyProcess(std::string_view prefix) const;

 private:
  std::map<std::string, std::string> processes_;
  std::map<std::pair<std::string, std::string>, std::string> threads_;
};

// An id as the file spells it.
std::string SpellingOf(const EventBlock& block, const IdKey& key);

}  // namespace stepscope::chrome_json
