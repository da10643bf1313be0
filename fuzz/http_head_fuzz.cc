// Any bytes as the head of a request: refused, or with a host and a path without control characters
// in its head.

#include <cstdint>
#include <cstdlib>

#include "serve/guard.h"
#include "serve/http_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const ParsedHead head = ParseHead({reinterpret_cast<const char*>(data), size});
  if (head.status != 200) return 0;
  const HttpRequest& request = head.request;
  if (request.host.contains('\0') || request.token.contains('\n')) std::abort();
  const RequestOrigin origin{request.host, request.origin, request.fetch_site};
  (void)IsFromOurPage(origin, "127.0.0.1");
  (void)IsFromProxiedPage(origin);
  (void)HeadOf({}, head);
  return 0;
}
