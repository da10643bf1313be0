#pragma once

#include <cstdint>
#include <string_view>

#include "read/protobuf/wire.h"

namespace stepscope {

enum class EventWhat : uint8_t {
  kNothing,
  kFileVersion,
  kGraphDef,
  kSummary,
  kLogMessage,
  kSessionLog,
  kRunMetadata,
  kMetaGraphDef,
};

enum class SessionStatus : uint8_t { kUnspecified = 0, kStart = 1, kStop = 2, kCheckpoint = 3 };

// A tensorflow.Event; views into the record. Wall time stays the double of seconds that the file
// holds, so that what is printed equals what was written.
struct Event {
  double wall_time = 0;
  int64_t step = 0;
  EventWhat what = EventWhat::kNothing;
  // The bytes of `what`: a version, a GraphDef, a Summary, a RunMetadata …
  std::string_view payload;
  std::string_view tag;  // of a RunMetadata
  SessionStatus status = SessionStatus::kUnspecified;
};

// False when the record is no whole Event message.
bool ParseEvent(std::string_view record, Event& event);

// What one value of a Summary holds; views into the record.
struct SummaryValue {
  enum class Kind : uint8_t {
    kNothing,
    kSimpleValue,
    kObsoleteHistogram,
    kImage,
    kHistogram,
    kAudio,
    kTensor,
  };
  std::string_view tag;
  Kind kind = Kind::kNothing;
  float simple_value = 0;
  std::string_view payload;  // Image, HistogramProto, Audio or TensorProto
  bool has_metadata = false;
  std::string_view plugin;  // of the metadata
  std::string_view description;
};

// Walks the values of a Summary.
class SummaryValues {
 public:
  explicit SummaryValues(std::string_view summary) : reader_(summary) {}
  bool Next(SummaryValue& value);
  bool ok() const { return ok_ && reader_.ok(); }

 private:
  WireReader reader_;
  bool ok_ = true;
};

}  // namespace stepscope
