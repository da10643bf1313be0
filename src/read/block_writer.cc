#include "read/block_writer.h"

#include <string>

#include "read/chrome_json/text.h"

namespace stepscope {

StringId BlockWriter::Intern(std::string_view text) {
  if (chrome_json::IsValidUtf8(text)) return block_.strings.Intern(text);
  std::string repaired;
  chrome_json::AppendRepairedUtf8(text, repaired);
  block_.diagnostics.Add(Diagnostic::kInvalidUtf8, 1);
  return block_.strings.Intern(repaired);
}

}  // namespace stepscope
