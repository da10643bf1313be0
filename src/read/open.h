#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "read/file_type.h"
#include "read/open_options.h"
#include "trace/trace.h"

namespace stepscope {

// Opens files, directories and "-", groups what belongs together, reads each trace. An Error only
// when nothing at all could be read.
Result<Profile> OpenProfile(const std::vector<std::string>& paths, const OpenOptions& options,
                            TaskPool& pool);

}  // namespace stepscope
