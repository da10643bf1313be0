#pragma once

#include <string>

#include "capture/capture.h"
#include "capture/processes/capturable.h"
#include "present/style.h"

namespace stepscope {

// One sentence for what a capture waits for: "collecting from localhost:9012, 1.4 s left".
Message CaptureSentence(const CaptureMoment& moment);

// What `stepscope capture --list` prints.
std::string CapturableText(const CapturableList& list, const Style& style);
std::string CapturableJson(const CapturableList& list, Language language);

}  // namespace stepscope
