#include "capture/profiler_service/profile_answer.h"

#include <algorithm>

#include "read/protobuf/cursor.h"
#include "read/protobuf/wire.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

constexpr uint64_t kEmptyTrace = 7, kXSpace = 8;
// A tag and a length or value are varints of at most ten bytes each.
constexpr size_t kMostHead = 20;

Error NotUnderstood(Sentences sentence) {
  return {.code = ErrorCode::kDamaged,
          .sentence = std::move(sentence),
          .file = {},
          .offset = {},
          .next_step = Say("capture.check-port")};
}

}  // namespace

bool ProfileAnswer::Stop(Error error) {
  fault_ = std::move(error);
  return false;
}

bool ProfileAnswer::TakePrefix(std::string_view& bytes) {
  const size_t taken = std::min(kPrefix - prefix_.size(), bytes.size());
  prefix_.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  if (prefix_.size() < kPrefix) return true;
  if (prefix_[0] != 0) {
    return Stop(NotUnderstood(Say("capture.compressed")));
  }
  for (size_t i = 1; i < kPrefix; ++i) {
    announced_ = announced_ << 8 | static_cast<uint8_t>(prefix_[i]);
  }
  message_left_ = announced_;
  return true;
}

// One byte at a time: there are few fields, and the large one is a single one.
bool ProfileAnswer::TakeHead(std::string_view& bytes) {
  head_ += bytes.front();
  bytes.remove_prefix(1);
  --message_left_;
  WireCursor cursor{std::string_view(head_)};
  uint64_t tag = 0, value = 0;
  if (!cursor.Varint(tag)) {
    return head_.size() < kMostHead || Stop(NotUnderstood(Say("capture.no-response")));
  }
  const auto type = static_cast<WireType>(tag & 7);
  if (type == WireType::kVarint || type == WireType::kLength) {
    if (!cursor.Varint(value)) {
      return head_.size() < kMostHead || Stop(NotUnderstood(Say("capture.no-response")));
    }
  } else if (type == WireType::kFixed64 || type == WireType::kFixed32) {
    value = type == WireType::kFixed64 ? 8 : 4;
  } else {
    return Stop(NotUnderstood(Say("capture.no-response")));
  }
  head_.clear();
  const uint64_t field = tag >> 3;
  if (type == WireType::kVarint) {
    if (field == kEmptyTrace) empty_trace_ = value != 0;
    return true;
  }
  if (value > message_left_) return Stop(NotUnderstood(Say("capture.no-response")));
  payload_left_ = value;
  payload_is_xspace_ = field == kXSpace;
  return true;
}

bool ProfileAnswer::TakePayload(std::string_view& bytes) {
  const std::string_view part = bytes.substr(0, std::min<uint64_t>(payload_left_, bytes.size()));
  bytes.remove_prefix(part.size());
  payload_left_ -= part.size();
  message_left_ -= part.size();
  if (!payload_is_xspace_) return true;
  if (sink_ == nullptr) {
    Result<std::unique_ptr<ByteSink>> sink = OpenSink(path_, Compression::kNone);
    if (!sink) return Stop(sink.error());
    sink_ = std::move(*sink);
  }
  if (const Result<void> done = sink_->Write(part); !done) return Stop(done.error());
  written_ += part.size();
  return true;
}

bool ProfileAnswer::Feed(std::string_view bytes) {
  received_ += bytes.size();
  while (!bytes.empty()) {
    bool fine = true;
    if (prefix_.size() < kPrefix) {
      fine = TakePrefix(bytes);
    } else if (message_left_ == 0) {
      return Stop(NotUnderstood(Say("capture.goes-on")));
    } else if (payload_left_ > 0) {
      fine = TakePayload(bytes);
    } else {
      fine = TakeHead(bytes);
    }
    if (!fine) return false;
  }
  return true;
}

Result<void> ProfileAnswer::Close() {
  if (sink_ == nullptr) return {};
  const Result<void> closed = sink_->Close();
  sink_.reset();
  return closed;
}

}  // namespace stepscope
