#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::tfprof {

// Collects Chrome trace events and writes them as TensorFlow's JSON library does: members by name,
// no blanks, a line end at the end; metadata and spans before flows and counters.
class ChromeEvents {
 public:
  void Process(std::string_view name, int64_t pid);
  struct Span {
    std::string_view name;
    int64_t start = 0;
    int64_t micros = 0;
    int64_t pid = 0;
    int64_t tid = 0;
  };
  void Complete(const Span& span, bool with_op);
  enum class FlowEnd : uint8_t { kFrom, kTo };
  void Flow(FlowEnd end, std::string_view name, int64_t time, int64_t pid, int64_t tid, int64_t id);
  // Bytes in use, and on the next pid who holds them, largest first.
  void Memory(int64_t pid, int64_t time, int64_t bytes,
              const std::map<int64_t, std::vector<std::string_view>>& holders);
  std::string Write() const;

 private:
  std::vector<std::string> first_;
  std::vector<std::string> second_;
};

}  // namespace stepscope::tfprof
