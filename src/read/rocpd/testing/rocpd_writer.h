#pragma once

#include <string>

// Small databases of AMD's profilers, written from their published schemas.
namespace stepscope::rocpd {

// Where a rocpd database keeps times and places: in the rows (as rocprofv3 writes it), or in
// tables of their own (rocpd_timestamp, rocpd_track).
enum class Schema { kTimesInRows, kTimesApart };

// Two processes of one machine, each with its GPU: a step, an op of PyTorch, a launch with its
// kernel, a copy with its call, memory, a counter, a kernel without a time.
std::string RocpdSql(Schema schema);

// One process and one GPU: the same story as ROCmProfileData tells it.
std::string RpdSql();

}  // namespace stepscope::rocpd
