#include "fleet/analyze_options.h"

#include <utility>

namespace stepscope::fleet {

std::string_view NameOf(Format format) {
  switch (format) {
    case Format::kParquet:
      return "parquet";
    case Format::kArrow:
      return "arrow";
    case Format::kJsonl:
      return "jsonl";
  }
  std::unreachable();
}

}  // namespace stepscope::fleet
