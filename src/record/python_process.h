#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/process_memory.h"
#include "record/python_layout.h"

namespace stepscope {

struct SampledLine {
  const std::string* function;  // owned by the PythonProcess
  const std::string* file;
  int32_t line = 0;
};
struct SampledThread {
  uint64_t thread = 0;  // the system's number where the version knows it
  bool native = false;
  std::vector<SampledLine> lines;  // outermost first
};

// Reads the stacks of a running CPython 3.9 to 3.14 from its memory: the process neither stops nor
// runs anything for it. Reads are not synchronised, so a sample can be torn; an odd one is dropped.
// Cost: one read a frame, about 1 µs each; code objects are remembered by address and checked.
class PythonProcess {
 public:
  enum class Attempt : uint8_t { kNotPython, kUnsupported, kFound };
  // Looks for the interpreter in the process's mappings.
  static Attempt Find(pid_t pid, std::optional<PythonProcess>& found, std::string& version);

  // False when nothing could be read; refused() says whether the kernel forbids it.
  bool Sample(std::vector<SampledThread>& threads);
  bool refused() const { return memory_.refused(); }

 private:
  struct Code {
    uint64_t filename = 0, name = 0, line_table_address = 0;
    int32_t first_line = 0;
    std::string function, file, line_table;
  };

  PythonProcess(pid_t pid, const PythonLayout& layout, uint64_t runtime, uint64_t code_type)
      : memory_(pid), layout_(layout), runtime_(runtime), code_type_(code_type) {}

  uint64_t Pointer(uint64_t address) { return memory_.Read<uint64_t>(address).value_or(0); }
  // Of an instruction in its function, in bytes.
  int64_t OffsetOf(const char* frame, uint64_t code);
  bool SampleThread(uint64_t thread, SampledThread& sampled);
  const Code* CodeAt(uint64_t address);
  std::string Text(uint64_t address);
  std::string Bytes(uint64_t address);

  ProcessMemory memory_;
  PythonLayout layout_;
  uint64_t runtime_, code_type_;
  std::unordered_map<uint64_t, Code> codes_;
};

}  // namespace stepscope
