#pragma once

#include <cstdint>

// How memory is taken from the system and given back: the only place that decides it. Large blocks
// of `new` have large pages in every program that links the rooms; all else is up to the program,
// because the library may live in a process of somebody else's (Python).
namespace stepscope {

// For a program of our own. Call once, before anything else. Large blocks that are freed are kept
// for the next, as long as the program does not hold more than it once needed.
void ManageMemory();
// When a profile has been read, once: analyses need less memory than reading did, and each reuses
// what the one before freed.
void ReuseFreedMemory();
// For a server: many threads send large answers.
void ManageServerMemory();
// Gives what is free back to the system. Takes some 10 ms.
void ReturnFreeMemory();

// Of the machine; 0 when the system does not say.
uint64_t PhysicalMemoryBytes();

}  // namespace stepscope
