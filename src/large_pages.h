#pragma once

namespace stepscope {

// Sets how the program takes memory from the system and gives it back. Call once, before anything
// else. The library in another program's process does not do this.
void ManageMemory();

}  // namespace stepscope
