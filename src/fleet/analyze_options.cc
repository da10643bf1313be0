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

Format FormatNamed(std::string_view name) {
  if (name == "arrow") return Format::kArrow;
  return name == "jsonl" ? Format::kJsonl : Format::kParquet;
}

}  // namespace stepscope::fleet
