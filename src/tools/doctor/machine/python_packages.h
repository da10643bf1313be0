#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "tools/doctor/machine/fat_binary.h"
#include "tools/doctor/machine/root_files.h"

namespace stepscope {

// A Python and where it looks for packages. Nothing of it is imported.
struct PythonPlace {
  std::string executable;             // "" when a directory was given
  std::vector<std::string> packages;  // directories, in the order of its search path
  Message fault;                      // why there are none
};

// `python`: an executable, a virtual environment or a directory of packages; "" is the first
// python3 on the search path. On the real machine the executable is asked for its sys.path; on a
// recorded one, and where it cannot be run, the usual places below it are taken.
PythonPlace FindPython(const RootFiles& files, const std::string& python,
                       const std::string& search_path);

// A framework as its files describe it.
struct InstalledFramework {
  std::string name;     // "PyTorch"
  std::string package;  // its directory
  std::string version;
  std::string cuda;  // it was built for; "" without
  std::string cudnn;
  std::string rocm;
  std::vector<std::string> stated_architectures;  // as its own build record says
  std::vector<std::string> libraries;             // that were looked into
  GpuCode gpu_code;
  std::vector<std::string> cpu_dispatch;  // instruction sets that its kernels are built for
  bool onednn = false;
  bool mkl = false;
};
std::vector<InstalledFramework> FindFrameworks(const RootFiles& files, const PythonPlace& python);

// Which protobuf Python would use: "upb", "cpp" or "python"; "" without protobuf.
struct ProtobufFacts {
  std::string version;
  std::string implementation;
  bool forced = false;  // by PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION
};
ProtobufFacts FindProtobuf(const RootFiles& files, const PythonPlace& python,
                           const std::string& forced_implementation);

// Directories of CUDA libraries that came as Python packages (nvidia/*/lib).
std::vector<std::string> NvidiaLibraryDirectories(const RootFiles& files,
                                                  const PythonPlace& python);

}  // namespace stepscope
