// Any bytes as a tar archive, plain or compressed, as a zip archive (.npz), and as a dataset file.

#include <cstdint>
#include <fstream>

#include "base/testing/temp_dir.h"
#include "tools/data/read/arrays.h"
#include "tools/data/read/dataset_files.h"
#include "tools/data/read/survey.h"
#include "tools/data/read/tar_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static const TempDir folder;
  static const std::string path = folder / "file";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  (void)IndexTar(path);
  (void)ReadZipDirectory(path);
  if (const auto files = FindDatasetFiles({path})) {
    for (const DatasetFile& file : *files) (void)SurveyFile(file, {});
  }
  return 0;
}
