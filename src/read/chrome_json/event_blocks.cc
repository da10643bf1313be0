#include "read/chrome_json/event_blocks.h"

#include <algorithm>
#include <span>

#include "read/chrome_json/event_text.h"
#include "read/chrome_json/value_skipper.h"

namespace stepscope::chrome_json {
namespace {

constexpr uint64_t kLargestBlock = uint64_t{64} << 20;
constexpr size_t kMostKept = size_t{256} << 20;

}  // namespace

Result<EventBlocks::Block> EventBlocks::ReadBlock(RandomAccess& file, uint64_t offset,
                                                  uint64_t bytes) {
  Block block;
  block.text.resize(bytes);
  size_t filled = 0;
  while (filled < bytes) {
    const Result<size_t> got = file.Read(offset + filled, std::span(block.text).subspan(filled));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    filled += *got;
  }
  block.text.resize(filled);
  const std::string_view text = block.text;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \n\r\t,[", at)) != std::string_view::npos) {
    if (text[at] == ']' || text[at] == '}') break;
    ValueSkipper skipper;
    if (!skipper.Feed(text.substr(at))) break;
    block.events.emplace_back(at, skipper.used());
    at += skipper.used();
  }
  return block;
}

Result<std::string> EventBlocks::Text(RandomAccess& file, const std::vector<EventPlace>& places,
                                      uint64_t event) {
  const auto after = std::ranges::upper_bound(places, event, {}, &EventPlace::event);
  if (after == places.begin()) return ReadEventText(file, places, event);
  const EventPlace& place = *std::prev(after);
  // The last block ends with the file.
  const uint64_t bytes = after == places.end() ? kLargestBlock : after->offset - place.offset;
  if (bytes > kLargestBlock) return ReadEventText(file, places, event);
  const std::lock_guard lock(mutex_);
  auto known = blocks_.find(place.offset);
  if (known == blocks_.end()) {
    Result<Block> block = ReadBlock(file, place.offset, bytes);
    if (!block) return std::unexpected(block.error());
    if (bytes_ > kMostKept) {
      blocks_.clear();
      bytes_ = 0;
    }
    bytes_ += block->text.size();
    known = blocks_.emplace(place.offset, std::move(*block)).first;
  }
  const uint64_t number = event - place.event;
  if (number >= known->second.events.size()) return ReadEventText(file, places, event);
  const auto& [begin, length] = known->second.events[number];
  return known->second.text.substr(begin, length);
}

}  // namespace stepscope::chrome_json
