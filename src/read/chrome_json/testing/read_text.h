#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "read/chrome_json/event_list.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// A source that gives a text, and a fault at its end where one is given.
OpenedSource SourceOf(std::string text, std::optional<Error> fault = std::nullopt);

struct ReadAnswer {
  Result<Trace> trace;
  Diagnostics diagnostics;
};
// Reads a document from memory.
ReadAnswer ReadText(std::string text, unsigned threads = 1, const EventListOptions& options = {});

// Everything a trace holds as text: two traces are the same if and only if these are.
std::string Dump(const Trace& trace);

}  // namespace stepscope::chrome_json
