#pragma once

#include "advise/given.h"
#include "base/json_document.h"

namespace stepscope {

// From `stepscope doctor --json` (schema stepscope.doctor/1); what is missing there stays empty.
MachineFacts ReadMachineFacts(const JsonValue& doctor);

}  // namespace stepscope
