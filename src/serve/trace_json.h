#pragma once

#include <string>

#include "analyze/explore/calls.h"
#include "analyze/explore/flame.h"
#include "analyze/explore/holders.h"
#include "analyze/explore/selection.h"
#include "analyze/launches/queue_depth.h"
#include "serve/loaded_profile.h"

// The server's answers about one trace as JSON, field by field as in docs/serve.md.
namespace stepscope {

// All traces of the profile: their lines, processes and place on the common clock.
std::string TimelineJson(const LoadedProfile& profile);
std::string SliceJson(const LoadedTrace& loaded, uint32_t row);
// A short description of a slice, or null for kNoRow.
std::string SliceRefJson(const LoadedTrace& loaded, uint32_t row);
std::string IdleJson(const LoadedTrace& loaded, const Line& line, uint32_t gap);
std::string CallsJson(const LoadedTrace& loaded, StringId name, const CallStatistics& calls);
std::string SelectionJson(const LoadedTrace& loaded, Interval stretch, const Selection& selection);
std::string SearchJson(const LoadedTrace& loaded, const SearchHits& hits, size_t first);
std::string FlameJson(const FlameTree& tree);
std::string HoldersJson(std::string_view device, TimeNs time, const Holders& holders);
std::string QueuesJson(const LoadedTrace& loaded, std::span<const QueueDepth> queues);
// Columns by span, and the names that they use.
std::string CriticalPathJson(const LoadedTrace& loaded);
std::string GraphJson(const OpGraph& graph);
std::string NamesJson(const LoadedTrace& loaded, std::span<const uint32_t> ids);

}  // namespace stepscope
