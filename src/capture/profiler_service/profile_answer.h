#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_sink.h"

namespace stepscope {

// Takes the answer to a Profile call as it comes and writes the XSpace in it to a file: hundreds of
// megabytes go through without being held. The file appears with the first byte of an XSpace.
class ProfileAnswer {
 public:
  explicit ProfileAnswer(std::string path) : path_(std::move(path)) {}

  // The next bytes of the HTTP body, five bytes of gRPC first. False: fault() says why.
  bool Feed(std::string_view bytes);
  // After the last byte: finishes the file.
  Result<void> Close();

  const std::optional<Error>& fault() const { return fault_; }
  // The server said that nothing was recorded.
  bool empty_trace() const { return empty_trace_; }
  // All the bytes that were announced are there.
  bool complete() const { return prefix_.size() == kPrefix && message_left_ == 0 && head_.empty(); }
  uint64_t received() const { return received_; }
  uint64_t announced() const { return announced_; }
  uint64_t written() const { return written_; }  // bytes of the file; 0: there is none
  const std::string& path() const { return path_; }

 private:
  static constexpr size_t kPrefix = 5;
  bool Stop(Error error);
  bool TakePrefix(std::string_view& bytes);
  bool TakeHead(std::string_view& bytes);
  bool TakePayload(std::string_view& bytes);

  std::string path_;
  std::unique_ptr<ByteSink> sink_;
  std::string prefix_;
  std::string head_;  // tag and length of a field, as far as they have come
  uint64_t message_left_ = 0;
  uint64_t payload_left_ = 0;
  bool payload_is_xspace_ = false;
  bool empty_trace_ = false;
  uint64_t received_ = 0, announced_ = 0, written_ = 0;
  std::optional<Error> fault_;
};

}  // namespace stepscope
