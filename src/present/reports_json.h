#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "present/json_writer.h"
#include "study/reported.h"

namespace stepscope {

struct JobsReport;

// `report --json` of several profiles, one after the other, so that they need not be in memory
// together: each is made as text by itself, added, and what is in `out` may be written and removed
// between the calls.
class ReportsJson {
 public:
  ReportsJson(std::string& out, Language language);
  static std::string TextOf(const Reported& reported, Language language);
  void Add(const Reported& reported);
  void Add(std::string_view text);  // of TextOf
  // `jobs` may be null. Files in `failed` are named beside the job.
  void Finish(const JobsReport* jobs, std::span<const Error> failed);

 private:
  std::string& out_;
  JsonWriter json_;
};

}  // namespace stepscope
