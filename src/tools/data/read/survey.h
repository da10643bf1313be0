#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/data/read/arrays.h"
#include "tools/data/read/dataset_files.h"
#include "tools/data/read/example.h"
#include "tools/data/read/parquet_footer.h"
#include "tools/data/read/tar_index.h"

namespace stepscope {

struct DatasetDamage {
  std::string file;
  uint64_t offset = 0;
  Sentences sentence;
};

struct NamedArray {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;  // empty where it is not known
  uint64_t bytes = 0;
};

// What one file holds.
struct FileFacts {
  uint64_t records = 0;  // records, rows, first dimension, samples
  uint64_t record_bytes = 0;
  uint64_t least = UINT64_MAX, most = 0;  // bytes of a record, where records have sizes
  std::string compression = "none";
  uint64_t uncompressed = 0;
  uint64_t cut_bytes = 0;  // of a record at the end that is not complete
  ExampleSurvey examples;
  std::optional<ParquetFooter> parquet;
  std::optional<TarIndex> tar;
  std::vector<NamedArray> arrays;
  std::vector<DatasetDamage> damage;
};

struct SurveyOptions {
  uint64_t examples_per_file = 200;                // records that are looked into
  std::function<void(uint64_t bytes)> read_bytes;  // for progress
};

// TFRecord files are read through and every CRC is checked; of all others only what describes them
// is read. Images and other files have nothing that does.
FileFacts SurveyFile(const DatasetFile& file, const SurveyOptions& options);

}  // namespace stepscope
