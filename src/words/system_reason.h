#pragma once

#include "base/message.h"

namespace stepscope {

// What the system says about an errno: in English as strerror has it, and the frequent ones in
// Chinese, too.
Message SystemReason(int error);

}  // namespace stepscope
