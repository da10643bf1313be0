#include "serve/guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <random>

namespace stepscope {
namespace {

// "[::1]:8080" and "localhost:8080" without the port.
std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    return end == std::string_view::npos ? std::string_view{} : host.substr(1, end - 1);
  }
  return host.substr(0, host.rfind(':'));
}

bool IsAddress(std::string_view host) {
  const std::string text(host);
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

bool SameName(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string HostName() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::string NewToken() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

bool SameToken(std::string_view given, std::string_view token) {
  if (given.size() != token.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i]);
  }
  return difference == 0;
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool IsFromOurPage(const RequestOrigin& request, std::string_view bound) {
  const std::string_view host = WithoutPort(request.host);
  const bool ours = SameName(host, "localhost") || IsAddress(host) || SameName(host, bound) ||
                    (!IsLoopback(bound) && SameName(host, HostName()));
  if (host.empty() || !ours) return false;
  if (!request.origin.empty() && request.origin != fmt::format("http://{}", request.host)) {
    return false;
  }
  return request.fetch_site.empty() || request.fetch_site == "same-origin" ||
         request.fetch_site == "none";
}

bool IsFromProxiedPage(const RequestOrigin& request) {
  if (request.host.empty()) return false;
  if (!request.origin.empty() && request.origin != fmt::format("https://{}", request.host) &&
      request.origin != fmt::format("http://{}", request.host)) {
    return false;
  }
  return request.fetch_site.empty() || request.fetch_site == "same-origin" ||
         request.fetch_site == "none";
}

}  // namespace stepscope
