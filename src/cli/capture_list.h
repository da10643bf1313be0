#pragma once

#include <string>

#include "capture/processes/capturable.h"
#include "present/style.h"

namespace stepscope {

// What `stepscope capture --list` prints.
std::string CapturableText(const CapturableList& list, const Style& style);
std::string CapturableJson(const CapturableList& list);

}  // namespace stepscope
