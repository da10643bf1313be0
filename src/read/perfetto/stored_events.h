#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope::perfetto {

// A value of an event's details: a number, a text, or more of them.
struct StoredValue {
  enum class Type : uint8_t { kNone, kBool, kInteger, kUnsigned, kReal, kText, kDict, kArray };
  std::string name;
  Type type = Type::kNone;
  uint64_t bits = 0;  // of numbers
  std::string text;
  std::vector<StoredValue> items;

  static StoredValue Text(std::string name, std::string_view text);
  static StoredValue Number(std::string name, uint64_t number);
};

struct StoredEvent {
  std::string_view message;  // "track_event", …
  std::string categories;    // joined by commas
  std::vector<StoredValue> details;
};

// The events of a trace as its packets have them, by their ordinals. Walks the file once; then each
// event costs its own packet. 24 bytes an event and the text of compressed packets.
class StoredEvents {
 public:
  static Result<std::unique_ptr<StoredEvents>> Open(const std::string& path);

  // An Error where the file no longer holds it.
  Result<StoredEvent> Event(uint32_t event) const;

 private:
  // Texts that packets name by numbers, from one clearing of a sequence's state to the next. Keys
  // are (field of InternedData, number).
  using Texts = std::unordered_map<uint64_t, std::string_view>;
  struct Place {
    std::string_view packet;
    uint32_t first_event = 0;
    uint32_t texts = 0;
  };
  class Reading;
  StoredEvents(std::string path, FileBytes file) : path_(std::move(path)), file_(std::move(file)) {}

  const std::string path_;
  const FileBytes file_;
  std::deque<std::string> inflated_;
  std::vector<Place> places_;  // packets with events, by their first
  std::deque<Texts> texts_;
  uint32_t events_ = 0;
};

}  // namespace stepscope::perfetto
