#include "serve/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kLongestTarget = 8192;

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return lower;
}

// Takes what stands before the mark off the front, and the mark; all of it where there is none.
std::string_view Take(std::string_view& text, std::string_view mark) {
  const size_t at = text.find(mark);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
  return taken;
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

enum class Plus : uint8_t { kIsPlus, kIsSpace };

// "%3C" becomes "<"; a "%" without two digits stays.
std::string Decoded(std::string_view text, Plus plus) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
    const auto low = high ? HexDigit(text[i + 2]) : std::nullopt;
    if (low) {
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      out += text[i] == '+' && plus == Plus::kIsSpace ? ' ' : text[i];
    }
  }
  return out;
}

void ParseTarget(std::string_view target, HttpRequest& request) {
  target = target.substr(0, target.find('#'));
  request.path = Decoded(Take(target, "?"), Plus::kIsPlus);
  while (!target.empty()) {
    std::string_view value = Take(target, "&");
    const std::string_view name = Take(value, "=");
    if (name.empty()) continue;
    request.parameters.try_emplace(Decoded(name, Plus::kIsSpace), Decoded(value, Plus::kIsSpace));
  }
}

// "GET /path?query HTTP/1.1"
int ParseRequestLine(std::string_view line, ParsedHead& head) {
  head.request.method = Take(line, " ");
  const std::string_view target = Take(line, " ");
  const bool known = line == "HTTP/1.1" || line == "HTTP/1.0";
  const bool upper =
      std::ranges::all_of(head.request.method, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!known || !upper || head.request.method.empty() || !target.starts_with('/')) return 400;
  if (target.size() > kLongestTarget) return 414;
  head.chunks = head.keep_open = line == "HTTP/1.1";
  ParseTarget(target, head.request);
  return 200;
}

// 200, or what to refuse the request with.
int TakeHeader(std::string_view name, std::string_view value, ParsedHead& head) {
  HttpRequest& request = head.request;
  const std::string key = Lower(name);
  if (key == "transfer-encoding") return 413;
  if (key == "content-length") {
    const char* const last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data(), last, request.body_bytes);
    const bool number = error == std::errc() && end == last && !value.empty();
    // Two lengths are two opinions on where the next request begins.
    if (!number || std::exchange(head.has_length, true)) return 413;
  }
  if (key == "host") {
    // The guard asks who is meant: there must be one answer.
    if (!request.host.empty()) return 400;
    request.host = value;
  }
  if (key == "x-forwarded-for") request.forwarded_for = value;
  if (key == "origin") request.origin = value;
  if (key == "sec-fetch-site") request.fetch_site = value;
  if (key == "x-stepscope-token") request.token = value;
  if (key == "accept-language") request.languages = value;
  if (key == "accept-encoding" && Lower(value).contains("gzip")) request.accepts_gzip = true;
  if (key == "connection") {
    const std::string wish = Lower(value);
    if (wish.contains("close")) head.keep_open = false;
    if (wish.contains("keep-alive")) head.keep_open = true;
  }
  return 200;
}

// RFC 9112: nothing between the name and its colon, and no line that goes on with the one before.
bool IsHeaderName(std::string_view name) {
  return !name.empty() && name.find_first_of(" \t") == std::string_view::npos;
}

// RFC 9110: no control characters but the line ends and tabs. A NUL would end a name early for
// whoever reads it as a C string.
bool HasControls(std::string_view head) {
  for (size_t i = 0; i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    if (byte == '\r' && i + 1 < head.size() && head[i + 1] == '\n') {
      ++i;
    } else if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
      return true;
    }
  }
  return false;
}

}  // namespace

Language HttpRequest::language() const {
  if (const auto asked = parameters.find("lang"); asked != parameters.end()) {
    if (const auto named = LanguageNamed(asked->second)) return *named;
  }
  // "zh-CN,zh;q=0.9,en;q=0.8": browsers name the one they like best first.
  for (std::string_view rest = languages; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string_view tag = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (tag.starts_with(' ')) tag.remove_prefix(1);
    if (const auto named = LanguageNamed(tag.substr(0, tag.find_first_of("-;")))) return *named;
  }
  return Language::kEnglish;
}

ParsedHead ParseHead(std::string_view text, const BodyRule& bodies) {
  ParsedHead head;
  if (HasControls(text)) {
    head.status = 400;
    return head;
  }
  head.status = ParseRequestLine(Take(text, "\r\n"), head);
  while (head.status == 200 && !text.empty()) {
    std::string_view line = Take(text, "\r\n");
    if (line.empty()) break;
    const bool has_colon = line.contains(':');
    const std::string_view name = Take(line, ":");
    head.status = has_colon && IsHeaderName(name) ? TakeHeader(name, Trimmed(line), head) : 400;
  }
  const HttpRequest& request = head.request;
  const bool taken = request.method == "POST" && !bodies.path.empty() &&
                     request.path == bodies.path && request.body_bytes <= bodies.most_bytes;
  if (head.status == 200 && request.body_bytes > 0 && !taken) head.status = 413;
  return head;
}

std::string HeadOf(const HttpAnswer& answer, const ParsedHead& asked) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, ReasonOf(answer.status));
  for (const auto& [name, value] : answer.headers) head += fmt::format("{}: {}\r\n", name, value);
  head += fmt::format("Content-Type: {}\r\n", answer.type);
  if (answer.gzipped) head += "Content-Encoding: gzip\r\n";
  if (!answer.stream) head += fmt::format("Content-Length: {}\r\n", answer.content().size());
  const bool chunks = answer.stream && asked.chunks;
  if (chunks) head += "Transfer-Encoding: chunked\r\n";
  const bool stays = asked.keep_open && (chunks || !answer.stream);
  head += stays ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

std::string BareAnswer(int status) {
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status,
                     ReasonOf(status));
}

}  // namespace stepscope
