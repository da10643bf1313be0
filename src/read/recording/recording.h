#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "read/open_options.h"
#include "read/recording/recording_file.h"
#include "trace/trace.h"

// Opens what `stepscope record` wrote: a directory with recording.ssrec (the job), files of each
// process, and the profiles that frameworks wrote into it.
namespace stepscope::recording {

inline constexpr std::string_view kJobFile = "recording.ssrec";

bool IsRecording(const std::string& directory);

// Reads the framework's profiles of one process.
using ProfileOpener = std::function<Result<Profile>(const std::vector<std::string>& paths)>;

// One trace per process that has a profile or was sampled: the framework's profile where there is
// one, with steps, stacks and counters of the whole run attached.
Result<Profile> OpenRecording(const std::string& directory, const ProfileOpener& open_profile,
                              TaskPool& pool);

// One file alone.
Result<Trace> ReadRecordingSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                                  Diagnostics& diagnostics);

}  // namespace stepscope::recording
