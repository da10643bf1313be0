#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/inject/cupti.h"

namespace stepscope_inject {

// Adds the records of a buffer that CUPTI hands over as rows of the recording. Rows are made
// without the lock of the file, so that threads which push NVTX ranges do not wait for it. Kinds
// that are not recorded are passed over. Safe from several threads.
void AddRecords(const Cupti& cupti, uint8_t* buffer, size_t valid);

// Of the records so far: those whose times CUPTI could not collect.
uint64_t RecordsWithoutTime();

}  // namespace stepscope_inject
