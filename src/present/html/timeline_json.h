#pragma once

#include "analyze/timeline_tiles/timeline.h"
#include "present/json_writer.h"

namespace stepscope {

// What the page needs to lay out one trace's timeline: its lines, processes, length and place on
// the clock that all traces of the profile share (docs/serve.md, "timeline").
void WriteTimelineTrace(const Timeline& timeline, int64_t offset_ns, bool has_graph,
                        JsonWriter& json);

// "facts": which pages the trace can fill.
void WriteFacts(const Trace& trace, bool has_graph, JsonWriter& json);

}  // namespace stepscope
