#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "read/protobuf/walk.h"

namespace stepscope {

// One frame of the Python stack that created an op, outermost first. Old files spell the strings
// out, newer ones number them (StringById).
struct CodeFrame {
  int32_t line = 0;
  int32_t function_start = 0;
  int64_t file_id = 0;
  int64_t function_id = 0;
  int64_t text_id = 0;
  std::string_view file;
  std::string_view function;
};

using StringById = std::pair<int64_t, std::string_view>;

// What TensorFlow's Python side knows of ops: OpLogProto.
struct OpLog {
  struct Entry {
    std::string_view name;
    int64_t float_ops = 0;
    std::vector<std::string_view> types;
    bool has_code = false;
    std::vector<CodeFrame> frames;
  };
  std::vector<Entry> entries;
  std::vector<StringById> strings;
  std::shared_ptr<const void> owner;  // what the views look into
};

Result<OpLog> ReadOpLog(const std::string& path, Diagnostics& diagnostics);
Result<OpLog> ParseOpLog(const FileBytes& bytes, const std::string& path, Diagnostics& diagnostics);

// CodeDef's frames, and an entry of a map<int64, string>; shared with ProfileProto.
std::vector<CodeFrame> ParseCodeFrames(std::string_view code_def, MessageFaults& faults);
StringById ParseStringById(std::string_view entry, MessageFaults& faults);

}  // namespace stepscope
