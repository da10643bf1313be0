#pragma once

#include <sys/stat.h>

#include <span>
#include <string>

#include "base/result.h"

namespace stepscope {

// Which files the program reads, so that it does not replace them by what it writes. Files are
// compared by device and inode: links do not hide them.

// From now on every file that is opened for reading counts as an input for as long as the process
// lives. For commands, which read and write once; a process that goes on (Python) checks with
// CheckNotInput.
void ProtectInputs();
// Called by everything that opens files for reading. Thread-safe.
void NoteInput(int descriptor);
void NoteInput(const std::string& path);
bool IsInput(const struct stat& status);
// Whether this is a pipe that was opened for reading before: opening it again would wait for a
// writer that may never come.
bool IsPipeReadBefore(const std::string& path);

// Fails if `output` is one of the files.
Result<void> CheckNotInput(const std::string& output, std::span<const std::string> inputs);

std::unexpected<Error> OwnInput(const std::string& output);

}  // namespace stepscope
