#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/tfprof/model.h"
#include "tools/tfprof/view.h"

// The Chrome traces of tfprof's -output=timeline, byte by byte.
namespace stepscope::tfprof {

// Scope and code view: a flame of total times, not of real time. One process per depth.
std::string TreeTimeline(const View& view);

struct GraphTimeline {
  std::string json;
  std::vector<std::pair<std::string_view, int64_t>> peak_bytes;  // by accelerator
};
// Graph view: ops of one step on their devices, arrows between devices, memory of accelerators. As
// in tfprof, of two ops that start together on a device the second is left out; `stepscope
// timeline` keeps all.
GraphTimeline StepTimeline(const Model& model, const View& view, int64_t step);

}  // namespace stepscope::tfprof
