#pragma once

// Who says messages of these tables also needs their types.
#include "base/message.h"
