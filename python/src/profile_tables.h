#pragma once

#include <memory>
#include <string_view>

#include "opened_profile.h"
#include "table.h"

namespace stepscope::python {

// The tables of a profile, one chunk per trace, with the columns that are declared for Python
// (docs/tables.md). Everything is computed here, without the GIL.
bool HasTable(std::string_view name);
TableData MakeTable(const std::shared_ptr<OpenedProfile>& opened, std::string_view name);

}  // namespace stepscope::python
