// Times the phases of a whole report in one process: wall clock, CPU of all threads, CPU of the
// main thread. Where the main thread's CPU is near that of all, a phase runs alone.
//
//   report_phases FILE [THREADS]

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/memory.h"
#include "present/report_json.h"
#include "study/study.h"

namespace stepscope {
namespace {

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Phases {
 public:
  void Done(const char* what) {
    const double wall = Seconds(CLOCK_MONOTONIC);
    const double all = Seconds(CLOCK_PROCESS_CPUTIME_ID);
    const double main = Seconds(CLOCK_THREAD_CPUTIME_ID);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%-10s wall %7.1f ms   cpu %7.1f ms   main %7.1f ms   peak %6.1f MB\n", what,
                (wall - wall_) * 1e3, (all - all_) * 1e3, (main - main_) * 1e3,
                static_cast<double>(usage.ru_maxrss) / 1e3);
    wall_ = wall;
    all_ = all;
    main_ = main;
  }

 private:
  double wall_ = Seconds(CLOCK_MONOTONIC);
  double all_ = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  double main_ = Seconds(CLOCK_THREAD_CPUTIME_ID);
};

int Run(const std::string& path, unsigned threads) {
  Phases phases;
  const Result<std::unique_ptr<Study>> study = Study::Open({path}, {.threads = threads});
  if (!study) return 1;
  phases.Done("open");
  (*study)->linked(0);
  phases.Done("link");
  (*study)->report(0);
  phases.Done("analyze");
  (*study)->advice();
  phases.Done("advise");
  std::string out;
  WriteReportsJson((*study)->reported(), out);
  phases.Done("json");
  return out.empty() ? 1 : 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  stepscope::ManageMemory();
  if (argc < 2) {
    std::fprintf(stderr, "usage: report_phases FILE [THREADS]\n");
    return 2;
  }
  return stepscope::Run(argv[1], argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0);
}
