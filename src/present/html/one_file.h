#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "base/task_pool.h"
#include "study/reported.h"

namespace stepscope {

struct JobsReport;

// A report as one HTML file that opens offline: the page, the tables (cut to the rows that matter
// where they are long) and a reduced timeline, at most 3 MB in all. Everything from the profile is
// inside a JSON text in which no "<" occurs, so that nothing of it can become markup. Findings and
// remarks are in that language, in which the page opens, too. An Error when the program was built
// without the page.
Result<std::string> OneFileHtml(std::span<const Reported> reports, const JobsReport* jobs,
                                Language language, TaskPool& pool);

// The parts of it: what the page reads of these reports as JSON, with so many bytes of tiles; and a
// page around such JSON.
std::string OneFileData(std::span<const Reported> reports, const JobsReport* jobs,
                        Language language, size_t tile_bytes, TaskPool& pool);
Result<std::string> OneFilePage(std::string_view data);

// The bytes in base64.
std::string Base64(std::string_view bytes);

}  // namespace stepscope
