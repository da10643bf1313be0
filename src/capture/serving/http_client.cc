#include "capture/serving/http_client.h"

#include <fmt/format.h>

#include <utility>

#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

constexpr long kConnectMs = 5000;

size_t Append(char* data, size_t, size_t size, void* body) {
  static_cast<std::string*>(body)->append(data, size);
  return size;
}

}  // namespace

HttpClient::HttpClient(const Curl* curl, std::string server)
    : curl_(curl),
      handle_(curl->easy_init()),
      headers_(curl->slist_append(nullptr, "Content-Type: application/json")),
      server_(std::move(server)) {}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : curl_(other.curl_),
      handle_(std::exchange(other.handle_, nullptr)),
      headers_(std::exchange(other.headers_, nullptr)),
      server_(std::move(other.server_)) {}

HttpClient::~HttpClient() {
  if (handle_ != nullptr) curl_->easy_cleanup(handle_);
  curl_->slist_free_all(headers_);
}

Result<HttpClient> HttpClient::To(const HostPort& server) {
  const Result<const Curl*> curl = LoadCurl();
  if (!curl) return std::unexpected(curl.error());
  return HttpClient(*curl, "http://" + server.text());
}

Result<HttpReply> HttpClient::Ask(const std::string& path, const std::optional<std::string>& json,
                                  int seconds) {
  HttpReply reply;
  const std::string url = server_ + path;
  const auto set = [&](CURLoption option, auto value) {
    curl_->easy_setopt(handle_, option, value);
  };
  set(CURLOPT_URL, url.c_str());
  if (json) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, json->c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(json->size()));
    set(CURLOPT_HTTPHEADER, headers_);
  } else {
    set(CURLOPT_HTTPGET, 1L);
  }
  set(CURLOPT_WRITEFUNCTION, &Append);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&reply.body));
  set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(seconds) * 1000);
  set(CURLOPT_NOSIGNAL, 1L);
  // A proxy of the environment does not reach a server on this machine.
  set(CURLOPT_PROXY, "");
  if (const CURLcode code = curl_->easy_perform(handle_); code != CURLE_OK) {
    if (code == CURLE_COULDNT_CONNECT) {
      return Fail(ErrorCode::kCannotRead, Say("capture.nothing-listens"), {},
                  Say("capture.check-server-port"));
    }
    return Fail(ErrorCode::kCannotRead,
                Say("capture.did-not-answer", path, curl_->easy_strerror(code)), {},
                Say("capture.check-log"));
  }
  long status = 0;
  curl_->easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  return reply;
}

}  // namespace stepscope
