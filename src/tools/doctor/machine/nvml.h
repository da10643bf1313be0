#pragma once

#include <string>
#include <vector>

#include "base/json_document.h"
#include "tools/doctor/machine/gpu.h"
#include "tools/doctor/machine/root_files.h"

namespace stepscope {

// What NVML (or a recording of it) says of the GPUs.
struct GpuFacts {
  GpuDriver driver;
  std::vector<Gpu> gpus;
  std::vector<std::vector<std::string>> links;
};

// Loads libnvidia-ml.so.1 for the time of the call. Without it, or without a driver, there are no
// GPUs and driver.fault says why.
GpuFacts AskNvml();
// The same from a recorded nvml.json; unknown fields are ignored.
GpuFacts FromRecordedNvml(const JsonValue& json);
// The driver's own files, for machines whose NVML cannot be loaded.
GpuFacts FromDriverFiles(const RootFiles& files);

}  // namespace stepscope
