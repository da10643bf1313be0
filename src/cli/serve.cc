#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "advise/settings.h"
#include "base/memory.h"
#include "cli/advise_inputs.h"
#include "cli/end_with_input.h"
#include "cli/remote_serve.h"
#include "cli/ssh_options.h"
#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "present/html/page_files.h"
#include "serve/api.h"
#include "serve/capture_job.h"
#include "serve/guard.h"
#include "serve/http_server.h"
#include "serve/session.h"
#include "words/cli.h"
#include "words/command.h"
#include "words/ssh.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts, kCommandTexts, kSshTexts> Say;

constexpr std::string_view kVerb = "serve";

struct Options {
  std::vector<std::string> paths;
  std::string host = "127.0.0.1";
  std::string config;
  int64_t port = 0;
  int64_t threads = 0;
  bool open = false;
  bool no_token = false;
  bool together = false;
  bool embed = false;
  bool no_capture = false;
  double memory_gb = 0;
  std::string log, base_path, trusted_proxy;
  // -1: not given; then clients on this machine have no limit.
  int64_t client_connections = -1, client_requests = -1;
  std::string remote;
  SshProgram program;
  bool end_with_stdin = false;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] PATH...", Say("serve.about"));
  parser.Integer("--port", "N", Say("serve.port"), &options.port, 0, 65535);
  parser.Text("--host", "HOST", Say("serve.host"), &options.host);
  parser.Flag("--open", Say("serve.open"), &options.open);
  parser.Flag("--no-token", Say("serve.no-token"), &options.no_token);
  parser.Flag("--embed", Say("serve.embed"), &options.embed);
  parser.Flag("--no-capture", Say("serve.no-capture"), &options.no_capture);
  parser.Flag("--together", Say("serve.together"), &options.together);
  parser.Number("--memory-gb", "N", Say("serve.memory-gb"), &options.memory_gb);
  parser.Section(Say("ssh.help.profiles"));
  parser.Text("--remote", "ssh://HOST/PATH", Say("ssh.help.remote"), &options.remote);
  AddSshOptions(parser, &options.program, &options.end_with_stdin);
  parser.Section(Say("serve.team"));
  parser.Text("--log", "FILE", Say("serve.log"), &options.log);
  parser.Text("--base-path", "/PATH", Say("serve.base-path"), &options.base_path);
  parser.Text("--trusted-proxy", "ADDRESS", Say("serve.trusted-proxy"), &options.trusted_proxy);
  parser.Integer("--client-connections", "N", Say("serve.client-connections"),
                 &options.client_connections, 0, 100'000);
  parser.Integer("--client-requests", "N", Say("serve.client-requests"), &options.client_requests,
                 0, 1'000'000);
  parser.Section(Say("serve.more"));
  AddReadingOptions(parser);
  AddConfigOption(parser, &options.config);
  parser.Integer("--threads", "N", Say("serve.threads"), &options.threads, 0, 256);
  parser.Positionals("PATH", &options.paths, 0);
  parser.Example("stepscope serve trace.json.gz", Say("serve.example"));
  parser.Example("stepscope serve before.json.gz after.json.gz", Say("serve.example-two"));
  parser.Example("stepscope serve logs/", Say("serve.example-directory"));
  parser.Example("stepscope serve --open --remote ssh://node1/data/run7",
                 Say("serve.example-remote"));
  parser.Example("stepscope serve --together rank*.json.gz", Say("serve.example-ranks"));
  return parser;
}

// On a machine that the user reached by ssh, the address works only through a tunnel.
std::string TunnelHint(int port) {
  const char* connection = std::getenv("SSH_CONNECTION");
  if (connection == nullptr) return {};
  // "client port server port"
  std::string server = connection;
  for (int i = 0; i < 2; ++i) server.erase(0, server.find(' ') + 1);
  server.resize(std::min(server.size(), server.find(' ')));
  const char* user = std::getenv("USER");
  if (user != nullptr) server = fmt::format("{}@{}", user, server);
  return Render(Say("serve.tunnel", port, server), TerminalLanguage());
}

void OpenBrowser(const std::string& address) {
  const char* const arguments[] = {"xdg-open", address.c_str(), nullptr};
  pid_t child = 0;
  // The browser may outlive this process, so we do not wait for it.
  (void)posix_spawnp(&child, arguments[0], nullptr, nullptr, const_cast<char* const*>(arguments),
                     environ);
}

// The server over there gets the options that are about reading; those about the network it does
// not need, as only ssh reaches it.
Result<void> ServeFrom(const Options& options) {
  if (!options.paths.empty()) {
    return Fail(ErrorCode::kUsage, Say("ssh.path-beside"), {}, Say("ssh.leave-path"));
  }
  Result<SshPlace> place = ParseSshUrl(options.remote);
  if (!place) return std::unexpected(place.error());
  RemotePage page{.place = std::move(*place),
                  .program = options.program,
                  .port = static_cast<int>(options.port),
                  .words = {},
                  .open = options.open ? &OpenBrowser : nullptr};
  if (options.together) page.words.emplace_back("--together");
  if (options.no_capture) page.words.emplace_back("--no-capture");
  if (options.memory_gb > 0) page.words.push_back(fmt::format("--memory-gb={}", options.memory_gb));
  if (options.threads > 0) page.words.push_back(fmt::format("--threads={}", options.threads));
  return ServeRemote(page);
}

Result<void> Check(const Options& options) {
  if (options.paths.empty()) {
    return Fail(ErrorCode::kUsage, Say("command.missing", "PATH"), {}, Say("command.help", kVerb));
  }
  if (!HasPage()) {
    return Fail(ErrorCode::kUnsupported, Say("serve.no-web"), {}, Say("serve.make-release"));
  }
  if (!options.base_path.empty() &&
      (!options.base_path.starts_with('/') || options.base_path.ends_with('/'))) {
    return Fail(ErrorCode::kUsage, Say("serve.path-like"), {}, Say("serve.path-slash"));
  }
  if (!IsLoopback(options.host) && !options.no_token) {
    return Fail(ErrorCode::kUsage, Say("serve.plain-http", options.host), {}, Say("serve.use-ssh"));
  }
  // A page that can never show anything is no help to whoever mistyped a path.
  for (const std::string& path : options.paths) {
    std::error_code error;
    if (path == "-" || std::filesystem::exists(path, error)) continue;
    return Fail(ErrorCode::kCannotRead, Say("serve.cannot-open", SystemReason(ENOENT)), path,
                Say("serve.check-path"));
  }
  return {};
}

Result<void> Serve(const Options& options) {
  if (!options.remote.empty()) return ServeFrom(options);
  Result<Settings> settings = LoadSettings(options.config);
  if (!settings) return std::unexpected(settings.error());
  if (const Result<void> fine = Check(options); !fine) return fine;
  // Signals are waited for by one thread; all others are started after this and never see them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  std::optional<EndWithInput> end_with_input;
  if (options.end_with_stdin) end_with_input.emplace();

  ManageServerMemory();
  const std::string token = options.no_token ? "" : NewToken();
  Session session({.paths = options.paths,
                   .together = options.together,
                   .threads = static_cast<unsigned>(options.threads),
                   .settings = std::move(*settings),
                   .memory_bytes = static_cast<uint64_t>(options.memory_gb * 1e9)});
  CaptureJob captures(".",
                      [&](const std::vector<std::string>& paths) { return session.Add(paths); });
  // Who gets in without a token may look, but not make programs slower.
  const bool may_capture = !options.no_capture && !options.no_token;
  // The same for files from the browser.
  Uploads uploads([&](const std::vector<std::string>& paths) { return session.Add(paths); });
  const bool may_send = !options.no_token;
  const Api api(session, {.token = token,
                          .host = options.host,
                          .base_path = options.base_path,
                          .embed = options.embed,
                          .captures = may_capture ? &captures : nullptr,
                          .uploads = may_send ? &uploads : nullptr});
  HttpLimits limits{.trusted_proxy = options.trusted_proxy};
  if (options.client_connections >= 0) {
    limits.client_connections = static_cast<size_t>(options.client_connections);
    limits.limits_this_machine = true;
  }
  if (options.client_requests >= 0) {
    limits.client_requests = static_cast<size_t>(options.client_requests);
    limits.limits_this_machine = true;
  }
  if (may_send) {
    limits.bodies = {options.base_path + std::string(kUploadPath), Uploads::kMostBytes};
  }
  std::unique_ptr<AccessLog> log;
  if (!options.log.empty()) {
    Result<std::unique_ptr<AccessLog>> opened = AccessLog::Open(options.log);
    if (!opened) return std::unexpected(std::move(opened.error()));
    log = std::move(*opened);
    limits.log = [&](const Access& access) { log->Write(access); };
  }
  HttpServer server([&](const HttpRequest& request) { return api.Answer(request); },
                    std::move(limits));
  const Result<int> port = server.Bind(options.host, static_cast<int>(options.port));
  if (!port) return std::unexpected(port.error());

  const bool v6 = options.host.contains(':');
  const std::string host = options.host == "0.0.0.0" ? "127.0.0.1" : options.host;
  const std::string address =
      fmt::format("http://{}{}{}:{}{}/{}{}", v6 ? "[" : "", host, v6 ? "]" : "", *port,
                  options.base_path, token.empty() ? "" : "?token=", token);
  const Result<void> written = WriteOut(fmt::format("{}\n{}", address, TunnelHint(*port)));
  if (!written) return written;
  if (options.open) OpenBrowser(address);

  std::jthread ender([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    session.Stop();
    captures.Stop();
    server.Stop();
  });
  server.Run();
  uploads.Clear();
  // Stop() leads here; if something else did, the thread that waits for signals gets one.
  pthread_kill(ender.native_handle(), SIGTERM);
  return {};
}

}  // namespace

int RunServe(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  return ExitCodeAfter(kVerb, Serve(options));
}

}  // namespace stepscope
