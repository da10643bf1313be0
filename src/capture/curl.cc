#include "capture/curl.h"

#include <dlfcn.h>

#include <string>

#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

// All flavours have one interface; they differ in the TLS library, which we do not use.
constexpr const char* kNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool FindAll(void* library, Curl& curl) {
  return Find(library, "curl_easy_init", curl.easy_init) &&
         Find(library, "curl_easy_setopt", curl.easy_setopt) &&
         Find(library, "curl_easy_perform", curl.easy_perform) &&
         Find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
         Find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
         Find(library, "curl_easy_strerror", curl.easy_strerror) &&
         Find(library, "curl_slist_append", curl.slist_append) &&
         Find(library, "curl_slist_free_all", curl.slist_free_all) &&
         Find(library, "curl_multi_init", curl.multi_init) &&
         Find(library, "curl_multi_cleanup", curl.multi_cleanup) &&
         Find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
         Find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
         Find(library, "curl_multi_perform", curl.multi_perform) &&
         Find(library, "curl_multi_poll", curl.multi_poll) &&
         Find(library, "curl_multi_info_read", curl.multi_info_read);
}

bool SpeaksHttp2(void* library) {
  decltype(&curl_version_info) version_info = nullptr;
  return Find(library, "curl_version_info", version_info) &&
         (version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
}

struct Loaded {
  Curl curl;
  Sentences wrong;

  Loaded() {
    wrong = Say("capture.no-curl");
    for (const char* name : kNames) {
      void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) continue;
      if (!FindAll(library, curl)) {
        wrong = Say("capture.old-curl");
      } else if (!SpeaksHttp2(library)) {
        wrong = Say("capture.curl-no-http2");
      } else {
        wrong.clear();
        return;
      }
      dlclose(library);
    }
  }
};

}  // namespace

Result<const Curl*> LoadCurl() {
  static const Loaded loaded;
  if (loaded.wrong.empty()) return &loaded.curl;
  return Fail(ErrorCode::kUnsupported, loaded.wrong, {}, Say("capture.install-curl"));
}

}  // namespace stepscope
