#include "capture/grpc/grpc_calls.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>

namespace stepscope {
namespace {

constexpr long kConnectMs = 5000;

std::string Framed(std::string_view message) {
  const auto size = static_cast<uint32_t>(message.size());
  std::string out(1, '\0');  // not compressed
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift);
  return out.append(message);
}

// grpc-message is percent-encoded.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 3], value, 16).ptr == &text[i + 3]) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

struct GrpcCalls::Call {
  GrpcCall call;
  std::string body;
  CURL* handle = nullptr;
  curl_slist* headers = nullptr;
  GrpcOutcome outcome;
  bool stopped = false;

  static size_t OnBody(char* data, size_t, size_t size, void* self) {
    auto* call = static_cast<Call*>(self);
    if (call->call.on_bytes({data, size})) return size;
    call->stopped = true;
    return 0;
  }
  // Headers and trailers alike.
  static size_t OnHeader(char* data, size_t, size_t size, void* self) {
    auto* call = static_cast<Call*>(self);
    std::string_view line(data, size);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    const size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (line.substr(0, colon) == "grpc-status") {
      std::from_chars(value.data(), value.data() + value.size(), call->outcome.status);
    } else if (line.substr(0, colon) == "grpc-message") {
      call->outcome.message = Unescaped(value);
    }
    return size;
  }
};

GrpcCalls::GrpcCalls(const Curl* curl) : curl_(curl), multi_(curl->multi_init()) {}

GrpcCalls::GrpcCalls(GrpcCalls&& other) noexcept
    : curl_(other.curl_),
      multi_(std::exchange(other.multi_, nullptr)),
      calls_(std::move(other.calls_)) {}

Result<GrpcCalls> GrpcCalls::Make() {
  const Result<const Curl*> curl = LoadCurl();
  if (!curl) return std::unexpected(curl.error());
  return GrpcCalls(*curl);
}

GrpcCalls::~GrpcCalls() {
  for (const std::unique_ptr<Call>& call : calls_) {
    if (call->handle != nullptr) {
      curl_->multi_remove_handle(multi_, call->handle);
      curl_->easy_cleanup(call->handle);
    }
    curl_->slist_free_all(call->headers);
  }
  if (multi_ != nullptr) curl_->multi_cleanup(multi_);
}

size_t GrpcCalls::Start(GrpcCall asked) {
  Call& call = *calls_.emplace_back(std::make_unique<Call>());
  call.call = std::move(asked);
  call.body = Framed(call.call.request);
  call.handle = curl_->easy_init();
  for (const char* line : {"content-type: application/grpc", "te: trailers"}) {
    call.headers = curl_->slist_append(call.headers, line);
  }
  const std::string url = fmt::format("http://{}{}", call.call.server.text(), call.call.method);
  const auto set = [&](CURLoption option, auto value) {
    curl_->easy_setopt(call.handle, option, value);
  };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDS, call.body.data());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
  set(CURLOPT_HTTPHEADER, call.headers);
  set(CURLOPT_WRITEFUNCTION, &Call::OnBody);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&call));
  set(CURLOPT_HEADERFUNCTION, &Call::OnHeader);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&call));
  set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(call.call.limit.count()));
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  // A proxy of the environment does not reach a profiler server and would not speak HTTP/2 to it.
  set(CURLOPT_PROXY, "");
  curl_->multi_add_handle(multi_, call.handle);
  return calls_.size() - 1;
}

void GrpcCalls::Finish(CURL* handle, CURLcode code) {
  for (const std::unique_ptr<Call>& call : calls_) {
    if (call->handle != handle) continue;
    GrpcOutcome& outcome = call->outcome;
    long http_status = 0, os_error = 0;
    double connected = 0;
    curl_->easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &http_status);
    curl_->easy_getinfo(handle, CURLINFO_OS_ERRNO, &os_error);
    curl_->easy_getinfo(handle, CURLINFO_CONNECT_TIME, &connected);
    if (call->stopped) {
      outcome.end = GrpcEnd::kStoppedByUser;
    } else if (code == CURLE_COULDNT_RESOLVE_HOST) {
      outcome.end = GrpcEnd::kNoSuchHost;
    } else if (code == CURLE_COULDNT_CONNECT) {
      outcome.end = os_error == ECONNREFUSED ? GrpcEnd::kRefused : GrpcEnd::kNoConnection;
    } else if (code == CURLE_OPERATION_TIMEDOUT) {
      outcome.end = connected > 0 ? GrpcEnd::kTooLong : GrpcEnd::kNoConnection;
    } else if (http_status == 0) {
      // Connected, and not one header came.
      outcome.end = GrpcEnd::kNotGrpc;
    } else if (http_status != 200) {
      outcome.end = GrpcEnd::kNotGrpc;
      outcome.message = fmt::format("HTTP {}", http_status);
    } else if (outcome.status < 0) {
      outcome.end = GrpcEnd::kCut;
    } else {
      outcome.end = outcome.status == 0 ? GrpcEnd::kOk : GrpcEnd::kStatus;
    }
    if (outcome.message.empty() && code != CURLE_OK) {
      outcome.message = curl_->easy_strerror(code);
    }
    curl_->multi_remove_handle(multi_, handle);
    curl_->easy_cleanup(handle);
    call->handle = nullptr;
    return;
  }
}

void GrpcCalls::Step(std::chrono::milliseconds wait) {
  int running = 0;
  const auto reap = [&] {
    curl_->multi_perform(multi_, &running);
    int left = 0;
    bool any = false;
    while (CURLMsg* message = curl_->multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Finish(message->easy_handle, message->data.result);
      any = true;
    }
    return any;
  };
  if (reap()) return;
  curl_->multi_poll(multi_, nullptr, 0, static_cast<int>(wait.count()), nullptr);
  reap();
}

bool GrpcCalls::connected(size_t call) const {
  double seconds = 0;
  CURL* handle = calls_[call]->handle;
  if (handle == nullptr) return true;
  curl_->easy_getinfo(handle, CURLINFO_CONNECT_TIME, &seconds);
  return seconds > 0;
}

const GrpcOutcome& GrpcCalls::outcome(size_t call) const { return calls_[call]->outcome; }

}  // namespace stepscope
