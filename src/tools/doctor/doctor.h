#pragma once

#include <vector>

#include "capture/processes/capturable.h"
#include "tools/doctor/check.h"
#include "tools/doctor/machine/machine.h"
#include "tools/doctor/machine/python_packages.h"

namespace stepscope {

// Everything that was read; the checks are a pure function of it.
struct Patient {
  Machine machine;
  PythonPlace python;
  std::vector<InstalledFramework> frameworks;
  ProtobufFacts protobuf;
};

// How many threads frameworks should use here.
struct ThreadAdvice {
  int usable_cpus = 0;  // physical cores, within quota and CPU set
  int intra_op = 0;
  int inter_op = 0;
  int omp_threads = 0;  // of one process
  int loader_workers = 0;
  std::vector<Message> lines;  // what to set
};
ThreadAdvice AdviseThreads(const Machine& machine);

std::vector<Check> CheckCpu(const Machine& machine);
std::vector<Check> CheckMemory(const Machine& machine);
std::vector<Check> CheckGpus(const Machine& machine);
std::vector<Check> CheckProfiling(const Machine& machine);
std::vector<Check> CheckFrameworks(const Patient& patient);
std::vector<Check> CheckEnvironment(const Machine& machine);
std::vector<Check> CheckCaptures(const CapturableList& list);
std::vector<Check> CheckRecording(const Patient& patient, const RootFiles& files);
// All but recording and captures, in that order.
std::vector<Check> Examine(const Patient& patient);

// Which GPUs CUDA_VISIBLE_DEVICES leaves: indices into machine.gpus; all when it is not set.
std::vector<size_t> VisibleGpus(const Machine& machine);

}  // namespace stepscope
