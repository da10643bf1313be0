#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/message.h"

namespace stepscope {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded
  std::map<std::string, std::string> parameters;
  std::string host, origin, fetch_site, token;
  std::string languages;  // Accept-Language
  bool accepts_gzip = false;
  uint64_t body_bytes = 0;
  // The next part of the body; empty at its end, or when the client stops sending it.
  std::function<std::string()> read_body = {};
  std::string client;         // address that the connection came from, or that a proxy names
  std::string forwarded_for;  // X-Forwarded-For
  bool from_proxy = false;    // the connection came from the proxy that is trusted

  // The one that ?lang= names, else the first of Accept-Language that is known, else English.
  Language language() const;
};

// The one path whose requests may have a body, and how large it may be. By default none may.
struct BodyRule {
  std::string path = {};
  uint64_t most_bytes = 0;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  // Bytes that live as long as the program, in place of the body.
  std::string_view constant = {};
  bool gzipped = false;
  // Why there is no answer, in place of the body: rendered in the language of the request.
  Sentences refusal = {};
  std::map<std::string, std::string> headers = {};
  // A stream of text: called until it returns false, each text it gives is sent at once. Must
  // return within about a second, be it with an empty text.
  std::function<bool(std::string& next)> stream = {};

  std::string_view content() const { return constant.empty() ? body : constant; }
};

// The head of a request of HTTP/1.0 or 1.1, from the request line to the empty line.
struct ParsedHead {
  int status = 200;  // else what to refuse it with: 400, 413 (a body nobody takes), 414
  HttpRequest request;
  bool keep_open = true;  // after the answer
  bool chunks = true;     // the client understands them: HTTP/1.1
  bool has_length = false;
};
ParsedHead ParseHead(std::string_view head, const BodyRule& bodies = {});

// The status line and the headers of an answer to this request, with the empty line.
std::string HeadOf(const HttpAnswer& answer, const ParsedHead& asked);
// A whole answer that says no more than its status and closes the connection.
std::string BareAnswer(int status);

}  // namespace stepscope
