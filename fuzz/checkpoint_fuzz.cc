// The index of a checkpoint, a table of blocks, each with a checksum; and values of a data file,
// wherever the index says that they are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "base/testing/temp_dir.h"
#include "tools/tfprof/checkpoint/checkpoint.h"

namespace {

// A data file that stands for that of every index.
std::string MakeDataFile() {
  static const stepscope::TempDir folder;
  const std::string prefix = folder / "checkpoint";
  std::ofstream(prefix + ".data-00000-of-00001") << std::string(4096, 'v');
  return prefix;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string prefix = MakeDataFile();
  stepscope::Diagnostics diagnostics;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto checkpoint = stepscope::ParseCheckpointIndex(bytes, prefix, diagnostics);
  if (!checkpoint) return 0;
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < std::min(kMost, checkpoint->variables.size()); ++i) {
    (void)stepscope::ReadValues(*checkpoint, checkpoint->variables[i]);
  }
  return 0;
}
