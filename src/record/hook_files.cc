#include "record/hook_files.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/embed.h"
#include "words/record.h"

STEPSCOPE_EMBED(stepscope_hook_site, STEPSCOPE_HOOK_DIR "/sitecustomize.py");
STEPSCOPE_EMBED(stepscope_hook_main, STEPSCOPE_HOOK_DIR "/_stepscope_hook.py");
STEPSCOPE_EMBED(stepscope_hook_torch, STEPSCOPE_HOOK_DIR "/_stepscope_torch.py");
STEPSCOPE_EMBED(stepscope_hook_tensorflow, STEPSCOPE_HOOK_DIR "/_stepscope_tensorflow.py");
STEPSCOPE_EMBED(stepscope_hook_jax, STEPSCOPE_HOOK_DIR "/_stepscope_jax.py");
STEPSCOPE_EMBED(stepscope_hook_ask, STEPSCOPE_HOOK_DIR "/_stepscope_ask.py");
STEPSCOPE_EMBED(stepscope_hook_attach, STEPSCOPE_HOOK_DIR "/_stepscope_attach.py");
STEPSCOPE_EMBED(stepscope_hook_tune, STEPSCOPE_HOOK_DIR "/_stepscope_tune.py");
STEPSCOPE_EMBED(stepscope_inject_library, STEPSCOPE_INJECT_DIR "/libstepscope_inject.so");

namespace stepscope {
namespace {

constexpr SayFrom<kRecordTexts> Say;

struct HookFile {
  const char* name;
  const char* begin;
  const char* end;
};

bool Write(const HookFile& file, const std::string& folder) {
  std::ofstream out(folder + "/" + file.name, std::ios::binary);
  out.write(file.begin, file.end - file.begin);
  out.close();
  return static_cast<bool>(out);
}

}  // namespace

Result<HookFolder> HookFolder::Make() {
  static const std::array kHook{
      HookFile{"sitecustomize.py", stepscope_hook_site_begin, stepscope_hook_site_end},
      HookFile{"_stepscope_hook.py", stepscope_hook_main_begin, stepscope_hook_main_end},
      HookFile{"_stepscope_torch.py", stepscope_hook_torch_begin, stepscope_hook_torch_end},
      HookFile{"_stepscope_tensorflow.py", stepscope_hook_tensorflow_begin,
               stepscope_hook_tensorflow_end},
      HookFile{"_stepscope_jax.py", stepscope_hook_jax_begin, stepscope_hook_jax_end},
      HookFile{"_stepscope_ask.py", stepscope_hook_ask_begin, stepscope_hook_ask_end},
      HookFile{"_stepscope_attach.py", stepscope_hook_attach_begin, stepscope_hook_attach_end},
      HookFile{"_stepscope_tune.py", stepscope_hook_tune_begin, stepscope_hook_tune_end},
  };
  static const HookFile kLibrary{"libstepscope_inject.so", stepscope_inject_library_begin,
                                 stepscope_inject_library_end};
  std::error_code error;
  std::string folder =
      (std::filesystem::temp_directory_path(error) / "stepscope-hook-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    return Fail(ErrorCode::kCannotWrite,
                Say("record.no-temporary", error ? error.message() : std::strerror(errno)), folder,
                Say("record.set-tmpdir"));
  }
  HookFolder made;
  made.path_ = folder;
  for (const HookFile& file : kHook) {
    if (Write(file, folder)) continue;
    return Fail(ErrorCode::kCannotWrite, Say("record.cannot-write-hook"), folder,
                Say("record.set-tmpdir"));
  }
  // Without room for the library there are at least the hook's step times.
  if (Write(kLibrary, folder)) {
    made.library_ = folder + "/" + kLibrary.name;
  } else {
    std::filesystem::remove(folder + "/" + kLibrary.name, error);
  }
  return made;
}

HookFolder::HookFolder(HookFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), library_(std::exchange(other.library_, {})) {}

HookFolder::~HookFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace stepscope
