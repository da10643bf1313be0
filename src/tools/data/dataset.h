#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/read_speed.h"
#include "present/style.h"
#include "tools/data/dataset_summary.h"
#include "tools/data/disk_need.h"

namespace stepscope {

// Everything that `data` may print; empty parts are left out.
struct DatasetReport {
  DatasetSummary summary;
  std::vector<ReadSpeed> speeds;
  std::optional<DiskNeed> need;
  Message step_source;  // where the step time came from
};

std::string DatasetText(const DatasetReport& report, const Style& style);
// docs/data.md, "stepscope.data/1".
std::string DatasetJson(const DatasetReport& report, Language language);
// One row per format.
std::string DatasetCsv(const DatasetReport& report);

// A record of `data cat`: the features of an Example, or the size and first bytes of anything else.
std::string RecordText(uint64_t number, std::string_view record, const Style& style);
std::string RecordJson(uint64_t number, std::string_view record, Language language);

// What `data verify` found, file by file.
struct VerifiedFile {
  std::string path;
  uint64_t bytes = 0;
  uint64_t records = 0;
  std::string compression;
  std::vector<DatasetDamage> damage;
};
std::string VerifyText(const std::vector<VerifiedFile>& files, const Style& style);
std::string VerifyJson(const std::vector<VerifiedFile>& files, Language language);
std::string VerifyCsv(const std::vector<VerifiedFile>& files);

}  // namespace stepscope
