#pragma once

#include <span>
#include <vector>

#include "advise/evidence.h"
#include "advise/rule.h"

namespace stepscope {

// What a fired rule's change gains a step of the program without the profiler. Rules measure in
// recorded time; a replay that gives back what recording cost tells how much of it is the
// program's own. No saving exceeds the step less the device work that stays.
Saving SavingOf(const Evidence& evidence, const Fires& fires);

// What the changes gain together, by replay; 0 where none is possible.
DurationNs ReplayedGain(const Evidence& evidence, const std::vector<Change>& changes);

// Whether all changes are to device work, which the noise of the host does not touch.
bool OnlyDevice(const Evidence& evidence, std::span<const Change> changes);

}  // namespace stepscope
