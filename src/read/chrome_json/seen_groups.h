#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "read/chrome_json/raw_event.h"

namespace stepscope {
struct RunFacts;
}

namespace stepscope::chrome_json {

// A process group as the collectives of one chunk name it.
struct SeenGroup {
  std::string name, description;
  std::string ranks;  // "[0, 1]"; cut with "..." where there are many
  int64_t size = -1, start = -1, stride = -1;

  friend bool operator==(const SeenGroup&, const SeenGroup&) = default;
};

// Adds the group that the event names, if it is a new one.
void SeeGroup(const RawArgs& args, std::vector<SeenGroup>& groups);

// Adds what the file does not say at its top (distributedInfo) to the note "process_groups".
void NoteGroups(const std::vector<SeenGroup>& groups, RunFacts& facts);

}  // namespace stepscope::chrome_json
