#pragma once

namespace stepscope {

// How the program's memory is taken from the system and given back; called once, before anything
// else. A library in another's process leaves that alone.
void ManageMemory();

}  // namespace stepscope
