#include "capture/target.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

struct Scheme {
  std::string_view text;
  TargetKind kind;
};
constexpr Scheme kSchemes[] = {{"grpc://", TargetKind::kProfilerService},
                               {"vllm://", TargetKind::kVllm},
                               {"sglang://", TargetKind::kSglang}};

std::unexpected<Error> NoTarget(std::string_view text, Message why) {
  return Fail(ErrorCode::kUsage, Say("capture.no-target", text, std::move(why)), {},
              Say("capture.name-target"));
}

Result<HostPort> ParseHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return NoTarget(text, Say("capture.port-missing"));
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535) {
    return NoTarget(text, Say("capture.no-port", digits));
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return NoTarget(text, Say("capture.host-missing"));
  // The host goes into a URL, so nothing that means something there may be in it.
  if (host.find_first_of("/@?#[] %\\\"'<>") != std::string_view::npos) {
    return NoTarget(text, Say("capture.no-host", host));
  }
  return HostPort{std::string(host), port};
}

Result<CaptureTarget> ParsePid(std::string_view text, std::string_view digits, TargetKind kind) {
  CaptureTarget target{.kind = kind};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), target.pid);
  if (error != std::errc() || end != digits.data() + digits.size() || target.pid < 1) {
    return NoTarget(text, Say("capture.no-pid", digits));
  }
  return target;
}

}  // namespace

std::string HostPort::text() const {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

bool HostPort::is_loopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<CaptureTarget> ParseCaptureTarget(std::string_view text) {
  if (text == "all") return CaptureTarget{.kind = TargetKind::kPyTorch};
  if (text.starts_with("pid:")) return ParsePid(text, text.substr(4), TargetKind::kPyTorch);
  if (text.starts_with("python:")) return ParsePid(text, text.substr(7), TargetKind::kPython);
  if (text.starts_with("job:")) {
    if (text.size() == 4) return NoTarget(text, Say("capture.job-missing"));
    return CaptureTarget{.kind = TargetKind::kPyTorch, .job = std::string(text.substr(4))};
  }
  std::string_view rest = text;
  CaptureTarget target;
  for (const Scheme& scheme : kSchemes) {
    if (!text.starts_with(scheme.text)) continue;
    rest.remove_prefix(scheme.text.size());
    target.kind = scheme.kind;
  }
  if (const size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    return NoTarget(text, Say("capture.no-scheme", rest.substr(0, scheme + 3)));
  }
  while (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t begin = 0; begin <= rest.size();) {
    const size_t comma = std::min(rest.find(',', begin), rest.size());
    Result<HostPort> host = ParseHostPort(rest.substr(begin, comma - begin));
    if (!host) return std::unexpected(host.error());
    for (const HostPort& other : target.hosts) {
      if (other == *host) return NoTarget(text, Say("capture.host-twice", host->text()));
    }
    target.hosts.push_back(std::move(*host));
    begin = comma + 1;
  }
  if (target.kind != TargetKind::kProfilerService && target.hosts.size() > 1) {
    return NoTarget(text, Say("capture.several-servers"));
  }
  return target;
}

Result<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  double factor = 0;
  if (unit == "ms") factor = 1;
  if (unit == "s" || unit.empty()) factor = 1e3;
  if (unit == "m" || unit == "min") factor = 60e3;
  if (unit == "h") factor = 3600e3;
  const double milliseconds = value * factor;
  // A day is more than any buffer holds; a profile of less than a millisecond is empty.
  constexpr double kMost = 24 * 3600e3;
  if (error != std::errc() || !(milliseconds >= 1) || milliseconds > kMost) {
    return Fail(ErrorCode::kUsage, Say("capture.no-duration", text), {},
                Say("capture.write-duration"));
  }
  return std::chrono::milliseconds(std::llround(milliseconds));
}

}  // namespace stepscope
