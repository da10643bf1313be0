#include "link/step_names.h"

#include <utility>

namespace stepscope {

std::string_view NameOf(WhyUnused why) {
  switch (why) {
    case WhyUnused::kUsed:
      return "";
    case WhyUnused::kWarmup:
      return "warmup";
    case WhyUnused::kCut:
      return "cut";
    case WhyUnused::kNoDeviceWork:
      return "no_device_work";
    case WhyUnused::kNotSelected:
      return "not_selected";
  }
  std::unreachable();
}

}  // namespace stepscope
