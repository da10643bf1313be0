#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "present/style.h"
#include "read/tfevents/log_dir.h"
#include "read/tfevents/run_log.h"

namespace stepscope {

// Writes the GraphDef, MetaGraphDef and RunMetadata messages of the runs as files of their own
// below `directory`, one folder per run. Returns a line for each.
Result<std::string> ExtractMessages(const std::vector<EventRun>& runs,
                                    const ReadRunOptions& reading, const std::string& directory,
                                    const Style& style);

}  // namespace stepscope
