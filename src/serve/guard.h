#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// What a request says about its origin; empty where it says nothing.
struct RequestOrigin {
  std::string_view host;        // Host
  std::string_view origin;      // Origin
  std::string_view fetch_site;  // Sec-Fetch-Site
};

// 128 random bits as hexadecimal digits.
std::string NewToken();

// Takes the same time for any text of the same length.
bool SameToken(std::string_view given, std::string_view token);

// Whether a page of another site may be behind the request. The Host must be an address or a name
// of this machine (`bound` is what the server listens on), so that a foreign name that points at
// 127.0.0.1 is refused. Any port is accepted, because tunnels change it. An Origin must be the
// page's own.
bool IsFromOurPage(const RequestOrigin& request, std::string_view bound);
// The same behind a proxy that is trusted: it decides which names it answers to, and the page may
// have come over https.
bool IsFromProxiedPage(const RequestOrigin& request);

// Whether a host to listen on is reachable from this machine only.
bool IsLoopback(std::string_view host);

}  // namespace stepscope
