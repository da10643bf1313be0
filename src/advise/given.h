#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "advise/rank_collectives.h"
#include "base/time.h"
#include "read/compile_log/compile_log.h"
#include "read/graph_def/graph_def.h"

// What the user gave in addition to the profile. Each part is optional; a rule that lacks a part
// answers "cannot tell" and says how to give it.
namespace stepscope {

// `stepscope doctor --json` of the machine the profile was recorded on (--machine FILE).
struct MachineFacts {
  struct Gpu {
    std::string name;
    std::string compute_capability;  // "9.0"
    int numa_node = -1;
  };
  struct FrameworkBuild {
    std::string name;                   // "PyTorch", "TensorFlow" …
    std::vector<std::string> gpu_code;  // machine code: "sm_90"
    std::vector<std::string> cpu_isa;   // instruction sets its kernels are built for
    bool mkl = false;
    bool onednn = false;
  };
  int logical_cores = 0;  // both as far as a job there may use them: quota and CPU set
  int physical_cores = 0;
  int sockets = 0;
  int numa_nodes = 0;
  int64_t memory_bytes = 0;
  std::set<std::string> cpu_isa;  // "AVX2", "FMA", "AVX-512F" …
  std::vector<Gpu> gpus;
  std::vector<FrameworkBuild> frameworks;
  std::map<std::string, std::string> environment;  // variables that matter
};

// The lines of a job's logs that rules understand (--log FILE).
struct LogFacts {
  std::vector<CompileLog> compile;      // one for each log of TORCH_TRACE
  std::vector<std::string> cupti;       // libcupti not opened, CUPTI_ERROR_*
  std::vector<std::string> unused_isa;  // "AVX2", "FMA" … the binary does not use
  std::optional<int> workers_created;   // DataLoader warning
  std::optional<int> workers_suggested;
  std::vector<std::string> retracing;
  std::vector<std::string> ptx_jit;            // kernels compiled from PTX at start-up
  std::vector<std::string> unused_parameters;  // find_unused_parameters without unused ones
  std::optional<int> ort_memcpy_nodes;
  std::vector<std::string> allocation_retries;
  std::vector<std::string> not_finite;  // CheckNumerics and the like
  double compile_seconds = 0;           // of XLA, all together (jax_log_compiles)
};

// What the input files are (--dataset DIR).
struct DatasetFacts {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t median_file_bytes = 0;
  std::optional<uint64_t> records;
  std::optional<double> read_bytes_per_s;  // measured
};

// Rates of runs of the same job (--trivial RUN, --synthetic RUN, --rates …): examples or steps per
// second.
struct RunRates {
  std::optional<double> full, trivial, synthetic;
};

// How the job was run, as far as the user told us (--batch N).
struct JobFacts {
  std::optional<int64_t> batch;
  std::optional<int64_t> loader_workers;
  std::optional<int64_t> ranks_per_host;
  std::optional<double> bus_gb_per_s;  // bus bandwidth of large collectives, measured
};

// All of it. Owns what evidence points to.
struct Given {
  std::optional<MachineFacts> machine;
  std::optional<LogFacts> log;
  std::optional<DatasetFacts> dataset;
  std::optional<RunRates> rates;
  std::optional<JobFacts> job;
  std::optional<GraphDef> graph;  // --graph FILE
  // All ranks of the job, this one among them, where its study has only a part of them; not owned.
  std::vector<const RankCollectives*> ranks = {};
  size_t own_rank = 0;
};

}  // namespace stepscope
