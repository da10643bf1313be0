#include "read/chrome_json/counter_series.h"

#include "read/chrome_json/decimal.h"
#include "read/chrome_json/json_value.h"

namespace stepscope::chrome_json {

void ForEachSeries(std::string_view object,
                   const std::function<void(const Text& series, double value)>& take) {
  for (JsonWalk walk(object); walk.Next();) {
    const std::optional<double> value = ParseReal(walk.scalar());
    if (value) take(walk.key(), *value);
  }
}

}  // namespace stepscope::chrome_json
