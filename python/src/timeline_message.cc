#include "timeline_message.h"

#include <string_view>
#include <utility>

#include "errors.h"
#include "read/protobuf/wire_writer.h"

namespace stepscope::python {
namespace {

constexpr uint32_t kStepStats = 1;  // of RunMetadata
constexpr uint32_t kDevice = 1;     // of StepStats
constexpr uint32_t kDeviceName = 1;

std::string_view FirstField(std::string_view message, uint32_t number) {
  for (WireReader reader(message); reader.Next();) {
    if (reader.field() == number && reader.type() == WireType::kLength) return reader.Bytes();
  }
  return {};
}

// StepStats hold devices, and a device begins with its name: a path. In a RunMetadata the same
// bytes are one level deeper.
bool IsStepStats(std::string_view message) {
  const std::string_view name = FirstField(FirstField(message, kDevice), kDeviceName);
  return name.starts_with('/');
}

}  // namespace

std::unique_ptr<RunMessage> ParseRunMessage(std::string message) {
  auto run = std::make_unique<RunMessage>();
  if (IsStepStats(message)) {
    WireWriter(run->bytes).Bytes(kStepStats, message);
  } else {
    run->bytes = std::move(message);
  }
  Diagnostics diagnostics;
  run->metadata = ParseRunMetadataMessage(run->bytes, diagnostics);
  if (run->metadata.devices.empty() && !run->bytes.empty() && !run->metadata.has_step_stats) {
    Raise(Error{ErrorCode::kDamaged,
                "these bytes are neither StepStats nor a RunMetadata",
                {},
                {},
                "give run_metadata.step_stats, or what its SerializeToString() wrote"});
  }
  return run;
}

}  // namespace stepscope::python
