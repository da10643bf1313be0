#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/nan/tfdbg/debug_dump.h"

namespace stepscope {

// Takes in tensorflow.DebugEvent messages one by one and builds the dump. Ids of frames and files
// are resolved by Finish, because files of a dump may be read in any order.
class DebugEvents {
 public:
  // False when the record is no whole DebugEvent; what it holds before the fault is not taken.
  bool Add(std::string_view record);
  DebugDump Finish();

 private:
  struct SourceFile {
    std::string host;
    std::string path;
    std::vector<std::string> lines;
  };
  struct RawFrame {
    int64_t file = 0;
    int64_t line = 0;
    std::string function;
    std::string code;
  };

  void AddMetadata(std::string_view message);
  void AddSourceFile(std::string_view message);
  void AddFrame(std::string_view message);
  void AddOp(std::string_view message);
  void AddGraph(std::string_view message);
  void AddExecution(double wall_time, std::string_view message);
  void AddTrace(double wall_time, std::string_view message);

  FrameIndex FrameOf(std::string_view id);
  std::vector<FrameIndex> StackOf(std::string_view code_location);
  DebugGraph& GraphOf(std::string_view id);
  void SawMode(TensorDebugMode mode);

  DebugDump dump_;
  std::vector<SourceFile> files_;
  std::vector<RawFrame> frames_;  // by FrameIndex
  std::unordered_map<std::string, FrameIndex> frame_ids_;
  std::unordered_map<std::string, size_t> graph_ids_;
};

}  // namespace stepscope
