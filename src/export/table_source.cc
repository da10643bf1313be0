#include "export/table_source.h"

#include "present/unicode.h"

namespace stepscope::exported {

void ColumnData::Clear() {
  integers.clear();
  reals.clear();
  truths.clear();
  codes.clear();
  dictionary.clear();
  valid.clear();
  owner = nullptr;
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    out.append(point.valid ? text.substr(0, point.bytes) : kReplacementUtf8);
    text.remove_prefix(point.bytes);
  }
  return out;
}

}  // namespace stepscope::exported
