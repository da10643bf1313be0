#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// The outcome of reading the head of a request.
enum class HeadOutcome : uint8_t { kComplete, kClosed, kTooLarge, kTooSlow };

struct RequestHead {
  HeadOutcome outcome = HeadOutcome::kClosed;
  std::string text;  // up to and with the empty line
  std::string rest;  // read already, behind the head
};

// Waits up to idle_seconds for the first byte, then up to head_seconds for the empty line.
// `pending` is what was read before and not used.
RequestHead ReadHead(int socket, std::string pending, size_t most_bytes, int idle_seconds,
                     int head_seconds);

// Waits up to `seconds` for bytes, at most `most` of them; none when the peer is gone or silent.
std::string ReceiveSome(int socket, size_t most, int seconds);

// Waits for room; false when there is none for `seconds` or the peer is gone.
bool SendAll(int socket, std::string_view bytes, int seconds);

}  // namespace stepscope
