#include "advise/finding.h"

#include <utility>

namespace stepscope {

std::string_view NameOf(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kHigh:
      return "high";
    case FindingSeverity::kMedium:
      return "medium";
    case FindingSeverity::kLow:
      return "low";
    case FindingSeverity::kNote:
      return "note";
  }
  std::unreachable();
}

std::string_view NameOf(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return "high";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kLow:
      return "low";
  }
  std::unreachable();
}

}  // namespace stepscope
