#pragma once

#include <stdint.h>

#include "record/inject/cupti.h"

namespace stepscope_inject {

// Writes one CUPTI record as a row of the recording. True if it was one that is recorded.
bool AddRecord(const Cupti& cupti, const uint8_t* record);

// Of the records so far: those whose times CUPTI could not collect.
uint64_t RecordsWithoutTime();

}  // namespace stepscope_inject
