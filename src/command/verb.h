#pragma once

#include <span>
#include <string_view>

namespace stepscope {

// A verb of the command line. Each verb has one file; cli/program.cc has the table. run() gets the
// arguments after the verb and returns the exit code.
struct Verb {
  std::string_view name;
  std::string_view
      summary;  // one line in `stepscope --help`: the id of a text in words/, or the text
  int (*run)(std::span<char*> arguments);
};

int RunReport(std::span<char*> arguments);
int RunAdvise(std::span<char*> arguments);
int RunDiff(std::span<char*> arguments);
int RunRanks(std::span<char*> arguments);
int RunExplain(std::span<char*> arguments);
int RunServe(std::span<char*> arguments);
int RunCapture(std::span<char*> arguments);
int RunEvents(std::span<char*> arguments);
int RunNan(std::span<char*> arguments);
int RunData(std::span<char*> arguments);
int RunMemory(std::span<char*> arguments);
int RunDoctor(std::span<char*> arguments);
int RunView(std::span<char*> arguments);
int RunTimeline(std::span<char*> arguments);
int RunRecord(std::span<char*> arguments);
int RunTune(std::span<char*> arguments);
int RunGraph(std::span<char*> arguments);
int RunQuery(std::span<char*> arguments);
int RunExport(std::span<char*> arguments);

}  // namespace stepscope
