#pragma once

#include <memory>
#include <string_view>

#include "opened_profile.h"
#include "table.h"

namespace stepscope::python {

// The tables of a profile, one chunk per trace, columns as docs/python.md names them. Everything is
// computed here, without the GIL.
TableData SlicesTable(const std::shared_ptr<OpenedProfile>& opened);
TableData OpsTable(const std::shared_ptr<OpenedProfile>& opened);
TableData OpsByShapeTable(const std::shared_ptr<OpenedProfile>& opened);
TableData KernelsTable(const std::shared_ptr<OpenedProfile>& opened);
TableData StepsTable(const std::shared_ptr<OpenedProfile>& opened);
TableData FindingsTable(const std::shared_ptr<OpenedProfile>& opened);
TableData TracksTable(const std::shared_ptr<OpenedProfile>& opened);

// nullptr where there is no such table.
using TableMaker = TableData (*)(const std::shared_ptr<OpenedProfile>&);
TableMaker FindTable(std::string_view name);

}  // namespace stepscope::python
