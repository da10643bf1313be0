#include "read/chrome_json/event_list.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "read/chrome_json/border.h"
#include "read/chrome_json/chunk_queue.h"
#include "read/chrome_json/scan.h"
#include "read/chrome_json/value_skipper.h"
#include "words/quality.h"

namespace stepscope::chrome_json {
namespace {

constexpr SayFrom<kQualityTexts> Say;

class EventListReader {
 public:
  EventListReader(InputWindow& input, const EventListOptions& options, TaskPool& pool,
                  const std::function<void(ParsedChunk)>& take)
      : input_(input), options_(options), queue_(pool, options.instructions), take_(take) {}

  ListEnd Run() {
    while (true) {
      if (options_.stop.stop_requested()) cut_all_ = true;
      while (!cut_all_ && !queue_.Full()) CutChunk();
      std::unique_ptr<Chunk> chunk = queue_.PopParsed();
      if (chunk == nullptr) break;
      if (options_.progress) options_.progress(input_.share(), "reading");
      if (Verify(*chunk)) {
        GiveBackRest();
        return ListEnd::kClosed;
      }
      queue_.Recycle(std::move(chunk));
    }
    if (leftover_.empty() && !skipping_) return ListEnd::kFileEnded;
    ParsedChunk cut;  // the event that the end of the file cuts
    cut.block.offset = leftover_offset_;
    cut.block.event_count = cut.block.diagnosed = 1;
    take_(std::move(cut));
    return ListEnd::kFileEndedInsideEvent;
  }

 private:
  // Reads the next chunk and sends it off to be parsed. What follows its last border begins the
  // next one.
  void CutChunk() {
    std::unique_ptr<Chunk> chunk = queue_.NewChunk();
    chunk->offset = next_offset_.value_or(input_.offset());
    size_t wanted = std::max(options_.chunk_bytes, tail_.size() * 2);
    chunk->Append(tail_);
    tail_.clear();
    size_t border = 0;
    for (; border == 0; wanted *= 2) {
      chunk->Reserve(wanted);
      chunk->size += input_.ReadInto({chunk->data() + chunk->size, wanted - chunk->size});
      cut_all_ = chunk->size < wanted;
      if (cut_all_) break;
      if (!learned_) border_.Learn(chunk->text());
      learned_ = true;
      border = border_.Last(chunk->text());
      if (wanted >= options_.largest_event) break;
    }
    if (border > 0) {
      tail_.assign(chunk->data() + border, chunk->size - border);
      chunk->size = border;
    }
    next_offset_ = chunk->offset + chunk->size;
    queue_.Push(std::move(chunk));
  }

  // Takes a parsed chunk if its beginning is now known to be between events; otherwise joins it
  // with the cut event before it. True when the list is closed; rest_ then says what follows.
  bool Verify(Chunk& chunk) {
    if (leftover_.empty() && !skipping_) {
      return Accept(std::move(chunk.parsed), chunk.text(), chunk.offset);
    }
    std::span<const char> text = chunk.text();
    if (skipping_) {
      if (!skipper_.Feed({text.data(), text.size()})) return false;
      skipping_ = false;
      leftover_offset_ = chunk.offset + skipper_.used();
      text = text.subspan(skipper_.used());
    }
    leftover_.append(text.data(), text.size());
    if (leftover_.size() < retry_at_ && !(cut_all_ && queue_.Empty())) return false;
    return ParseLeftover();
  }

  bool ParseLeftover() {
    std::string joined = std::move(leftover_);
    leftover_.clear();
    const size_t size = joined.size();
    joined.append(kPadding, '"');
    const std::span<const char> text(joined.data(), size);
    const uint64_t offset = leftover_offset_;
    ParsedChunk parsed;
    parsed.block.offset = offset;
    ParseEvents(text, offset, options_.instructions, parsed);
    return Accept(std::move(parsed), text, offset);
  }

  bool Accept(ParsedChunk parsed, std::span<const char> text, uint64_t offset) {
    const ChunkEnd end = parsed.end;
    const size_t consumed = parsed.consumed;
    take_(std::move(parsed));
    const std::span<const char> rest = text.subspan(consumed);
    if (end == ChunkEnd::kBetweenEvents) return false;
    if (end == ChunkEnd::kArrayClosed) {
      rest_.assign(rest.data(), rest.size());
      return true;
    }
    leftover_.assign(rest.data(), rest.size());
    leftover_offset_ = offset + consumed;
    retry_at_ = leftover_.size() * 2;
    return leftover_.size() >= options_.largest_event && SkipLargeEvent();
  }

  // An event that is too large to be held: walked over as it comes.
  bool SkipLargeEvent() {
    ParsedChunk diagnosed;
    diagnosed.block.offset = leftover_offset_;
    diagnosed.block.event_count = diagnosed.block.diagnosed = 1;
    diagnosed.block.diagnostics.Add(Diagnostic::kMalformedEvent, 1, leftover_offset_,
                                    Say("quality.too-large"));
    take_(std::move(diagnosed));
    skipper_ = ValueSkipper();
    skipping_ = !skipper_.Feed(leftover_);
    leftover_.erase(0, skipper_.used());
    leftover_offset_ += skipper_.used();
    retry_at_ = 0;
    return !leftover_.empty() && ParseLeftover();
  }

  // The list is closed: everything that was read after it goes back to the window.
  void GiveBackRest() {
    for (std::unique_ptr<Chunk> chunk = queue_.PopParsed(); chunk != nullptr;
         chunk = queue_.PopParsed()) {
      rest_.append(chunk->data(), chunk->size);
    }
    rest_ += tail_;
    input_.GiveBack(rest_);
  }

  InputWindow& input_;
  const EventListOptions& options_;
  ChunkQueue queue_;
  const std::function<void(ParsedChunk)>& take_;
  BorderGuess border_;
  bool learned_ = false;
  bool cut_all_ = false;  // the file has been read to its end
  std::string tail_;      // read already, belongs to the next chunk
  std::optional<uint64_t> next_offset_;

  std::string leftover_;  // begins with an event that its chunk cut
  uint64_t leftover_offset_ = 0;
  size_t retry_at_ = 0;  // parsed again when it has doubled: linear in all
  bool skipping_ = false;
  ValueSkipper skipper_;
  std::string rest_;
};

}  // namespace

ListEnd ReadEventList(InputWindow& input, const EventListOptions& options, TaskPool& pool,
                      const std::function<void(ParsedChunk)>& take) {
  return EventListReader(input, options, pool, take).Run();
}

}  // namespace stepscope::chrome_json
