#pragma once

#include "analyze/report.h"
#include "link/linked_trace.h"
#include "ranks/rank_digest.h"

namespace stepscope {

// What a job needs to know of this rank. O(slices).
RankDigest DigestOf(const LinkedTrace& linked, const Report& report);

// Only what the file says about itself: enough to tell which traces are ranks of one job.
RankDigest FactsOf(const Trace& trace);

}  // namespace stepscope
