#pragma once

#include "diff/diff.h"

namespace stepscope::diff {

// Fills Diff::match, nodes and rest; categories of device work too, where the programs differ too
// much for single nodes.
void CompareNodes(Diff& diff);

// Whether hardly any time of either side has a counterpart.
bool NothingInCommon(const Match& match);

// A node in few words: "aten::mm [[8, 512], [512, 64]] in Block_*".
std::string TitleOf(const NodeKey& key);

}  // namespace stepscope::diff
