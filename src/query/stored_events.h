#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "io/random_access.h"
#include "read/chrome_json/event_blocks.h"
#include "read/perfetto/stored_events.h"

namespace stepscope {

class Study;

// Events of one trace as its file has them, read again on demand: what the trace does not keep.
// Safe for several threads. The study has to stay.
class StoredEvents {
 public:
  // kMany keeps what it has read: for those who ask for event after event.
  enum class Access : uint8_t { kOne, kMany };
  StoredEvents(const Study& study, size_t trace, Access access = Access::kOne);

  // An event as strict JSON, by its ordinal in the file.
  Result<std::string> Json(uint32_t event) const;
  // Makes Json quick for compressed files.
  void Prepare(const std::stop_token& stop) const;

 private:
  RandomAccess* File() const;  // null where it cannot be read again
  Result<std::string> OfFile(uint32_t event) const;
  Result<std::string> OfPackets(uint32_t event) const;
  // With what an execution trace says of the same call.
  std::string WithExecution(std::string json, uint32_t event) const;

  const Study& study_;
  const size_t trace_;
  const bool many_;
  mutable chrome_json::EventBlocks blocks_;
  mutable std::once_flag opened_;
  mutable std::unique_ptr<RandomAccess> file_;
  mutable Result<std::unique_ptr<perfetto::StoredEvents>> packets_;
  mutable std::once_flag joined_;
  mutable std::unordered_map<uint32_t, uint32_t> node_of_;  // of the execution trace, by event
};

}  // namespace stepscope
