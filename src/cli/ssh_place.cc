#include "cli/ssh_place.h"

#include <fmt/format.h>

#include <charconv>

#include "words/ssh.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSshTexts> Say;

std::unexpected<Error> NoPlace(std::string_view text, Sentences why, Sentences next) {
  return Fail(ErrorCode::kUsage, Say("ssh.no-place", text, std::move(why)), {}, std::move(next));
}

// "user@host:2222" into `place`; what is wrong with it, or nothing.
Sentences ReadHost(std::string_view text, SshPlace& place) {
  const size_t at = text.rfind('@');
  const size_t bracket = text.rfind(']');
  const size_t colon = text.rfind(':');
  const size_t host_begin = at == std::string_view::npos ? 0 : at + 1;
  const bool has_port = colon != std::string_view::npos && colon >= host_begin &&
                        (bracket == std::string_view::npos || colon > bracket);
  if (has_port) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
    if (error != std::errc() || end != digits.data() + digits.size() || place.port < 1 ||
        place.port > 65535) {
      return Say("ssh.no-port", digits);
    }
    text = text.substr(0, colon);
  }
  const std::string_view host = text.substr(host_begin);
  if (host.empty() || (at != std::string_view::npos && at == 0)) return Say("ssh.host-missing");
  // A leading dash would be an option of ssh.
  if (text.starts_with('-') || text.find_first_of(" \t\n'\"\\;&|<>$`/") != std::string_view::npos) {
    return Say("ssh.no-host", text);
  }
  place.host = text.substr(0, host_begin);
  place.host +=
      host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
  return {};
}

}  // namespace

Result<SshPlace> ParseSshUrl(std::string_view text) {
  constexpr std::string_view kScheme = "ssh://";
  if (!text.starts_with(kScheme))
    return NoPlace(text, Say("ssh.begins", kScheme), Say("ssh.write-url"));
  const std::string_view rest = text.substr(kScheme.size());
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos || slash + 1 == rest.size()) {
    return NoPlace(text, Say("ssh.path-missing"), Say("ssh.write-url"));
  }
  SshPlace place;
  if (const Sentences why = ReadHost(rest.substr(0, slash), place); !why.empty()) {
    return NoPlace(text, why, Say("ssh.write-url"));
  }
  const std::string_view path = rest.substr(slash);
  // The shell over there begins in the user's home.
  place.path = path.starts_with("/~/") ? fmt::format("./{}", path.substr(3)) : std::string(path);
  return place;
}

Result<SshPlace> ParseSshHost(std::string_view text) {
  constexpr std::string_view kScheme = "ssh:";
  if (!text.starts_with(kScheme))
    return NoPlace(text, Say("ssh.begins", kScheme), Say("ssh.write-host"));
  SshPlace place;
  if (const Sentences why = ReadHost(text.substr(kScheme.size()), place); !why.empty()) {
    return NoPlace(text, why, Say("ssh.write-host"));
  }
  return place;
}

std::string ShellQuoted(std::string_view word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out += '\'';
}

std::string ShellCommand(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += ShellQuoted(word);
  }
  return out;
}

std::vector<std::string> SshArguments(const SshProgram& program, const SshPlace& place,
                                      const std::vector<std::string>& options,
                                      const std::string& command) {
  std::vector<std::string> arguments;
  for (size_t at = 0; at < program.ssh.size();) {
    const size_t end = std::min(program.ssh.find(' ', at), program.ssh.size());
    if (end > at) arguments.push_back(program.ssh.substr(at, end - at));
    at = end + 1;
  }
  arguments.emplace_back("-T");
  if (place.port != 0) arguments.insert(arguments.end(), {"-p", fmt::format("{}", place.port)});
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", place.host, command});
  return arguments;
}

}  // namespace stepscope
