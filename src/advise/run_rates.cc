#include "advise/run_rates.h"

#include <fmt/core.h>

#include <string_view>

namespace stepscope {
namespace {

std::string Beside(std::string_view what, double rate, double full) {
  return fmt::format("; {} {:.1f} ({:.2f} ×)", what, rate, rate / full);
}

}  // namespace

bool InputSetsThePace(const RunRates& rates, double near) {
  if (!rates.full) return false;
  if (rates.trivial) return *rates.trivial <= near * *rates.full;
  return rates.synthetic && *rates.synthetic > near * *rates.full;
}

std::string RatesSentence(const RunRates& rates, double near) {
  if (!rates.full || (!rates.trivial && !rates.synthetic)) return "";
  const double full = *rates.full;
  std::string out = fmt::format("{:.1f} per second", full);
  if (rates.trivial) out += Beside("trivial model", *rates.trivial, full);
  if (rates.synthetic) out += Beside("synthetic data", *rates.synthetic, full);
  const bool input = InputSetsThePace(rates, near);
  const bool model = rates.synthetic ? *rates.synthetic <= near * full : !input;
  const std::string_view verdict = input && model ? "neither input nor the model sets the pace"
                                   : input        ? "input sets the pace"
                                   : model        ? "the model sets the pace"
                                                  : "input and the model both take their part";
  return fmt::format("{}: {}.", out, verdict);
}

}  // namespace stepscope
