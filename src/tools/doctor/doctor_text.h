#pragma once

#include <string>
#include <vector>

#include "present/style.h"
#include "tools/doctor/doctor.h"
#include "tools/doctor/log_explanations.h"

namespace stepscope {

struct Examination {
  Patient patient;
  std::vector<Check> checks;
  ThreadAdvice threads;
};

std::string DoctorText(const Examination& examination, const Style& style);
// docs/doctor.md, "stepscope.doctor/1": what `advise --machine` takes.
std::string DoctorJson(const Examination& examination, Language language);
std::string DoctorCsv(const std::vector<Check>& checks, Language language);

std::string LogText(const std::vector<LogExplanation>& explanations, const Style& style);
std::string LogJson(const std::vector<LogExplanation>& explanations, Language language);
std::string LogCsv(const std::vector<LogExplanation>& explanations, Language language);

}  // namespace stepscope
