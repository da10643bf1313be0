#include "advise/run_rates.h"

#include <utility>

#include "words/advice.h"

namespace stepscope {
namespace {

constexpr SayFrom<kAdviceTexts> Say;

Message WhoSetsThePace(bool input, bool model) {
  if (input && model) return Say("advice.rates.neither");
  if (input) return Say("advice.rates.input");
  return model ? Say("advice.rates.model") : Say("advice.rates.both");
}

}  // namespace

bool InputSetsThePace(const RunRates& rates, double near) {
  if (!rates.full) return false;
  if (rates.trivial) return *rates.trivial <= near * *rates.full;
  return rates.synthetic && *rates.synthetic > near * *rates.full;
}

Message RatesSentence(const RunRates& rates, double near) {
  if (!rates.full || (!rates.trivial && !rates.synthetic)) return {};
  const double full = *rates.full;
  const bool input = InputSetsThePace(rates, near);
  const bool model = rates.synthetic ? *rates.synthetic <= near * full : !input;
  Message told = Say("advice.rates.full", full);
  if (rates.trivial) {
    told = Say("advice.rates.trivial", std::move(told), *rates.trivial, *rates.trivial / full);
  }
  if (rates.synthetic) {
    told =
        Say("advice.rates.synthetic", std::move(told), *rates.synthetic, *rates.synthetic / full);
  }
  return Say("advice.rates.told", std::move(told), WhoSetsThePace(input, model));
}

}  // namespace stepscope
