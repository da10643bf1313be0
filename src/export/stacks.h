#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/raw/trace_rows.h"
#include "base/string_table.h"

namespace stepscope::exported {

// What stacks are made of: annotations, modules and ops; modules; Python frames and ops; the call
// path that the compiler kept.
enum class StackBy : uint8_t { kOps, kModules, kPython, kHlo };

struct StackOptions {
  StackBy by = StackBy::kOps;
  std::function<bool(uint32_t slice)> selected = {};  // empty: all
  bool idle = false;                                  // idle time of devices, too
};

// What is added up.
struct Weights {
  int64_t device_ns = 0;  // of device work, under the stack that launched it
  int64_t host_ns = 0;    // on threads, less what is inside
  int64_t calls = 0;
  int64_t bytes = 0;  // copied or set on devices
};

// Stacks of one or several traces, equal ones added up: a tree of frames. Device work that nothing
// launched stands under [unlinked].
class Stacks {
 public:
  struct Node {
    uint32_t parent = 0;  // a node before it; the root is its own
    StringId frame = kEmptyString;
    Weights own;  // without what is below
  };

  Stacks() : nodes_(1) {}
  void Add(const tables::TraceRows& rows, const StackOptions& options);

  const std::vector<Node>& nodes() const { return nodes_; }
  std::string_view FrameOf(const Node& node) const { return frames_[node.frame]; }
  // Frames from the root to the node, without the root itself.
  std::vector<uint32_t> PathOf(uint32_t node) const;

 private:
  uint32_t Below(uint32_t parent, std::string_view frame);
  std::vector<uint32_t> AddHost(const tables::TraceRows& rows, const StackOptions& options);
  void AddDevice(const tables::TraceRows& rows, const StackOptions& options,
                 const std::vector<uint32_t>& node_of);
  void AddIdle(const tables::TraceRows& rows);
  uint32_t HloPath(const tables::TraceRows& rows, uint32_t slice);

  std::vector<Node> nodes_;
  StringTable frames_;
  std::unordered_map<uint64_t, uint32_t> children_;  // parent and frame
};

enum class Weight : uint8_t { kDevice, kHost, kCalls, kBytes };
int64_t ValueOf(const Weights& weights, Weight weight);
// "device_ns" and "nanoseconds", …
struct WeightName {
  std::string_view name, unit;
};
WeightName NameOf(Weight weight);

// "train.py(31): forward" as a profiler of Python writes it.
struct FrameParts {
  std::string_view function, file;
  int64_t line = 0;
};
FrameParts PartsOf(std::string_view frame);

}  // namespace stepscope::exported
