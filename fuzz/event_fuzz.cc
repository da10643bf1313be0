// Any bytes as the message of one Event, through everything that `events` makes of it.

#include <cstdint>

#include "read/tfevents/series_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  ReadRunOptions options;
  options.points = ReadRunOptions::Points::kAll;
  options.embedded = [](const EmbeddedMessage&) {};
  SeriesBuilder builder(options);
  Event event;
  if (!ParseEvent({reinterpret_cast<const char*>(data), size}, event)) return 0;
  SummaryValue value;
  for (SummaryValues values(event.payload); values.Next(value);) {
    builder.NoteMetadata(value);
    builder.AddValue(event, value);
  }
  (void)builder.Take();
  return 0;
}
