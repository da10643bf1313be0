#include <algorithm>
#include <array>
#include <string>

#include "tools/doctor/machine/elf_file.h"
#include "tools/doctor/machine/python_packages.h"

namespace stepscope {
namespace {

// Where a framework keeps its libraries and its version.
struct Recipe {
  std::string_view name;
  std::string_view package;  // below the packages directory
  std::string_view version_file;
  std::array<std::string_view, 3> library_folders;
  std::array<std::string_view, 8> libraries;  // beginnings of file names
};
constexpr std::array kRecipes{
    Recipe{"PyTorch",
           "torch",
           "version.py",
           {"lib", "", ""},
           {"libtorch_cuda", "libc10_cuda", "libtorch_cpu", "libtorch_hip"}},
    Recipe{"TensorFlow",
           "tensorflow",
           "python/platform/build_info.py",
           {"", "python", ""},
           {"libtensorflow_cc.so", "libtensorflow_framework.so", "_pywrap_tensorflow_internal.so"}},
    Recipe{"JAX", "jaxlib", "version.py", {"", "", ""}, {"libjax_common.so", "xla_extension"}},
    Recipe{"JAX CUDA plugin",
           "jax_plugins/xla_cuda12",
           "version.py",
           {"", "", ""},
           {"xla_cuda_plugin.so"}},
    Recipe{"JAX CUDA plugin",
           "jax_plugins/xla_cuda13",
           "version.py",
           {"", "", ""},
           {"xla_cuda_plugin.so"}},
    Recipe{"ONNX Runtime",
           "onnxruntime",
           "__init__.py",
           {"capi", "", ""},
           {"libonnxruntime_providers_cuda.so", "onnxruntime_pybind11_state"}},
};

// The text in quotes after `key` (and an equals sign or colon) in Python source.
std::string QuotedAfter(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  const size_t line_end = std::min(text.find('\n', at), text.size());
  const std::string_view rest = text.substr(at + key.size(), line_end - at - key.size());
  const size_t separator = rest.find_first_of("=:,");
  if (separator == std::string_view::npos) return {};
  const size_t open = rest.find_first_of("'\"", separator);
  if (open == std::string_view::npos) return {};
  const size_t close = rest.find(rest[open], open + 1);
  return close == std::string_view::npos ? std::string()
                                         : std::string(rest.substr(open + 1, close - open - 1));
}

// 'sm_60', 'sm_70', 'compute_90' inside the list after `key`.
std::vector<std::string> ListAfter(std::string_view text, std::string_view key) {
  std::vector<std::string> items;
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return items;
  const size_t open = text.find('[', at);
  const size_t close = text.find(']', open);
  if (open == std::string_view::npos || close == std::string_view::npos) return items;
  std::string_view list = text.substr(open, close - open);
  for (size_t quote = list.find_first_of("'\""); quote != std::string_view::npos;
       quote = list.find_first_of("'\"")) {
    const size_t end = list.find(list[quote], quote + 1);
    if (end == std::string_view::npos) break;
    items.emplace_back(list.substr(quote + 1, end - quote - 1));
    list.remove_prefix(end + 1);
  }
  return items;
}

// "torch-2.4.0.dist-info" beside the package.
std::string VersionFromDistInfo(const RootFiles& files, const std::string& packages,
                                std::string_view package) {
  for (const std::string& name : files.List(packages)) {
    const size_t dash = name.find('-');
    if (dash == std::string::npos || !name.ends_with(".dist-info")) continue;
    const std::string_view own = std::string_view(name).substr(0, dash);
    const bool mine = own == package || own == std::string(package) + "_cpu" ||
                      own == std::string(package) + "_gpu";
    if (mine) return name.substr(dash + 1, name.size() - dash - 1 - 10);
  }
  return {};
}

void LookInto(const std::string& path, InstalledFramework& framework) {
  const Result<ElfFile> elf = ElfFile::Open(path);
  if (!elf) return;
  for (const char* section : {".nv_fatbin", "__nv_relfatbin"}) {
    framework.gpu_code.Merge(ParseFatBinaries(elf->SectionNamed(section)));
  }
  const std::string_view symbols = elf->SectionNamed(".dynstr");
  framework.onednn |= symbols.contains("dnnl_") || symbols.contains("mkldnn");
  framework.mkl |= symbols.contains("mkl_serv_") || symbols.contains("mkl_blas_") ||
                   symbols.contains("libmkl_") || symbols.contains("MKL_Get_Max_Threads");
  // Kernels that are built once an instruction set carry its name in theirs.
  for (const auto& [mark, name] : {std::pair<std::string_view, const char*>{"AVX512", "AVX-512"},
                                   {"AVX2", "AVX2"},
                                   {"avx512", "AVX-512"},
                                   {"avx2", "AVX2"},
                                   {"amx", "AMX"},
                                   {"SVE256", "SVE"}}) {
    const bool known =
        std::ranges::find(framework.cpu_dispatch, name) != framework.cpu_dispatch.end();
    if (!known && symbols.contains(mark)) framework.cpu_dispatch.emplace_back(name);
  }
}

InstalledFramework Describe(const RootFiles& files, const std::string& packages,
                            const Recipe& recipe) {
  InstalledFramework framework;
  framework.name = recipe.name;
  framework.package = packages + "/" + std::string(recipe.package);
  const std::string source =
      "\n" + files.Text(framework.package + "/" + std::string(recipe.version_file)).value_or("");
  framework.version = QuotedAfter(source, "\n__version__");
  if (framework.version.empty()) {
    framework.version = VersionFromDistInfo(files, packages, recipe.package);
  }
  // PyTorch's version.py and TensorFlow's build_info.py.
  framework.cuda = QuotedAfter(source, recipe.name == "PyTorch" ? "\ncuda" : "'cuda_version'");
  framework.cudnn = QuotedAfter(source, "'cudnn_version'");
  framework.rocm = QuotedAfter(source, "\nhip");
  framework.stated_architectures = ListAfter(source, "cuda_compute_capabilities");
  for (const std::string_view folder : recipe.library_folders) {
    const std::string directory =
        framework.package + (folder.empty() ? "" : "/" + std::string(folder));
    for (const std::string& name : files.List(directory)) {
      const bool wanted = name.contains(".so") &&
                          std::ranges::any_of(recipe.libraries, [&](std::string_view begin) {
                            return !begin.empty() && name.starts_with(begin);
                          });
      const std::string path = directory + "/" + name;
      const bool known = std::ranges::find(framework.libraries, path) != framework.libraries.end();
      if (!wanted || known) continue;
      framework.libraries.push_back(path);
      LookInto(files.PathOf(path), framework);
    }
  }
  return framework;
}

}  // namespace

std::vector<InstalledFramework> FindFrameworks(const RootFiles& files, const PythonPlace& python) {
  std::vector<InstalledFramework> frameworks;
  for (const Recipe& recipe : kRecipes) {
    for (const std::string& packages : python.packages) {
      if (!files.Exists(packages + "/" + std::string(recipe.package))) continue;
      frameworks.push_back(Describe(files, packages, recipe));
      break;
    }
  }
  return frameworks;
}

}  // namespace stepscope
