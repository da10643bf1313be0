#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/diagnostics.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "read/chrome_json/event_parser.h"
#include "read/chrome_json/input_window.h"
#include "read/chrome_json/parsed_chunk.h"

namespace stepscope::chrome_json {

struct EventListOptions {
  InstructionSet instructions = BestInstructionSet();
  size_t chunk_bytes = size_t{4} << 20;
  // A single event larger than this is skipped and diagnosed.
  size_t largest_event = size_t{64} << 20;
  Progress progress;
  std::stop_token stop;  // the list ends where reading has come to when it says so
};

enum class ListEnd : uint8_t { kClosed, kFileEnded, kFileEndedInsideEvent };

// Parses an event list in parallel. `input` is positioned after the opening bracket and left after
// the closing one.  The text is cut into chunks at places where an event seems to begin, without
// looking at what is before them; each is parsed by itself as if it began between two events. The
// guess is verified afterwards, in order: the chunk before must have ended between events, exactly
// there. Otherwise the rest of that chunk and the next one are joined and parsed again. So no
// serial pass looks at every byte, and the result depends neither on the guesses nor on the number
// of threads.  Chunks are given to `take` in file order, on the calling thread. Memory: a few
// chunks of text.
ListEnd ReadEventList(InputWindow& input, const EventListOptions& options, TaskPool& pool,
                      const std::function<void(ParsedChunk)>& take);

}  // namespace stepscope::chrome_json
