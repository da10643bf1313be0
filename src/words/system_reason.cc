#include "words/system_reason.h"

#include <cerrno>
#include <system_error>

#include "words/system.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSystemTexts> Say;

}  // namespace

Message SystemReason(int error) {
  switch (error) {
    case EPERM:
      return Say("system.not-permitted");
    case ENOENT:
      return Say("system.no-such-file");
    case EIO:
      return Say("system.input-output");
    case EACCES:
      return Say("system.permission-denied");
    case EEXIST:
      return Say("system.file-exists");
    case ENOTDIR:
      return Say("system.not-a-directory");
    case EISDIR:
      return Say("system.is-a-directory");
    case EMFILE:
      return Say("system.too-many-open-files");
    case ENOSPC:
      return Say("system.no-space");
    case EROFS:
      return Say("system.read-only");
    case EADDRINUSE:
      return Say("system.address-in-use");
    default:
      return Verbatim(std::generic_category().message(error));
  }
}

}  // namespace stepscope
