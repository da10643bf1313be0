#pragma once

#include "analyze/explore/flame.h"
#include "analyze/whatif/step_path.h"
#include "present/json_writer.h"

// What the page explores, as columns (docs/serve.md): the server answers with it, and the one-file
// report carries it.
namespace stepscope {

void WriteFlame(const FlameTree& tree, JsonWriter& json);
void WriteCriticalPath(const Trace& trace, const CriticalPath& path, JsonWriter& json);

}  // namespace stepscope
