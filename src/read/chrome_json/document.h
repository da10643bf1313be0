#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/diagnostics.h"
#include "base/task_pool.h"
#include "read/chrome_json/event_list.h"
#include "read/chrome_json/input_window.h"
#include "read/chrome_json/parsed_chunk.h"
#include "read/chrome_json/top_level.h"

namespace stepscope::chrome_json {

struct DocumentParts {
  TopLevel top;
  bool bare_array = false;
  bool found_events = false;  // there is an event list, be it empty
};

// Reads a whole trace document: an object with the event list under `traceEvents`, wherever it
// stands, or the bare list, closed or not. Chunks of events go to `take` in file order. What is
// wrong with the document is diagnosed; what came before is delivered.
DocumentParts ReadDocument(InputWindow& input, const EventListOptions& options, TaskPool& pool,
                           Diagnostics& diagnostics, const std::function<void(ParsedChunk)>& take);

}  // namespace stepscope::chrome_json
