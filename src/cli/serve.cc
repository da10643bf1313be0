#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

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
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/verb.h"
#include "present/html/page_files.h"
#include "serve/api.h"
#include "serve/capture_job.h"
#include "serve/guard.h"
#include "serve/http_server.h"
#include "serve/session.h"

namespace stepscope {
namespace {

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
  int64_t client_connections = 64, client_requests = 500;
  std::string remote;
  SshProgram program;
  bool end_with_stdin = false;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] PATH...",
                      "Shows profiles in the browser: the report, a timeline that stays smooth at "
                      "ten million\nevents, tables, memory, and two profiles side by side. Prints "
                      "one address and serves it\nuntil Ctrl-C. Only people on this machine who "
                      "know the address get in.");
  parser.Integer("--port", "N", "port to listen on (default: a free one)", &options.port, 0, 65535);
  parser.Text("--host", "HOST", "address to listen on (default 127.0.0.1)", &options.host);
  parser.Flag("--open", "open the address in the browser", &options.open);
  parser.Flag("--no-token", "let in anybody who can reach the port", &options.no_token);
  parser.Flag("--embed", "let pages that this machine serves, like a notebook, show it in a frame",
              &options.embed);
  parser.Flag("--no-capture", "the page cannot take profiles of running programs",
              &options.no_capture);
  parser.Flag("--together", "all PATHs are one profile: the ranks of a job", &options.together);
  parser.Number("--memory-gb", "N",
                "memory for profiles (default: half of the machine's); those looked at longest ago "
                "are read again when somebody asks",
                &options.memory_gb);
  parser.Section("profiles on another machine");
  parser.Text("--remote", "ssh://HOST/PATH",
              "start the server on HOST by ssh and show its page here; it ends with this command",
              &options.remote);
  parser.Text("--ssh", "COMMAND", "the ssh to use, with its options (default ssh)",
              &options.program.ssh);
  parser.Text("--remote-program", "PATH", "stepscope on that machine (default stepscope)",
              &options.program.program);
  parser.Flag("--end-with-stdin", "the end of standard input ends the server, as Ctrl-C does",
              &options.end_with_stdin);
  parser.Section("for a team (docs/serve.md)");
  parser.Text("--log", "FILE", "append a line per request; - is standard error", &options.log);
  parser.Text("--base-path", "/PATH", "the path below which a proxy shows the page",
              &options.base_path);
  parser.Text("--trusted-proxy", "ADDRESS",
              "believe the Host and X-Forwarded-For of requests from this address",
              &options.trusted_proxy);
  parser.Integer("--client-connections", "N", "connections of one client (default 64, 0: no limit)",
                 &options.client_connections, 0, 100'000);
  parser.Integer("--client-requests", "N", "requests per second of one client (default 500)",
                 &options.client_requests, 0, 1'000'000);
  parser.Section("more");
  AddReadingOptions(parser);
  AddConfigOption(parser, &options.config);
  parser.Integer("--threads", "N", "threads for reading (default: one per core)", &options.threads,
                 0, 256);
  parser.Positionals("PATH", &options.paths, 0);
  parser.Example("stepscope serve trace.json.gz", "one profile");
  parser.Example("stepscope serve before.json.gz after.json.gz", "two, to compare");
  parser.Example("stepscope serve logs/", "a directory, watched for new profiles");
  parser.Example("stepscope serve --open --remote ssh://node1/data/run7",
                 "profiles that stay on another machine");
  parser.Example("stepscope serve --together rank*.json.gz", "the ranks of a job on one timeline");
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
  return fmt::format("on your own machine, first run: ssh -L {0}:127.0.0.1:{0} {1}{2}{3}\n", port,
                     user != nullptr ? user : "", user != nullptr ? "@" : "", server);
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
    return Fail(ErrorCode::kUsage, "--remote names what to show, so PATH has no place beside it",
                {}, "leave PATH out");
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
    return Fail(ErrorCode::kUsage, "PATH is missing", {},
                "name a profile or a directory; stepscope serve --help has examples");
  }
  if (!HasPage()) {
    return Fail(ErrorCode::kUnsupported, "this build has no web page, so serve does not work", {},
                "run make release, which installs node and builds the page; stepscope report works "
                "without it");
  }
  if (!options.base_path.empty() &&
      (!options.base_path.starts_with('/') || options.base_path.ends_with('/'))) {
    return Fail(ErrorCode::kUsage, "--base-path takes a path like /stepscope", {},
                "begin it with a slash and end it without one");
  }
  if (!IsLoopback(options.host) && !options.no_token) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--host {} lets other machines in over plain HTTP", options.host), {},
                "leave it out and use ssh -L, or add --no-token if you mean it");
  }
  // A page that can never show anything is no help to whoever mistyped a path.
  for (const std::string& path : options.paths) {
    std::error_code error;
    if (path == "-" || std::filesystem::exists(path, error)) continue;
    return Fail(ErrorCode::kCannotRead, "Cannot open: No such file or directory", path,
                "Check the path.");
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
  HttpLimits limits{.client_connections = static_cast<size_t>(options.client_connections),
                    .client_requests = static_cast<size_t>(options.client_requests),
                    .trusted_proxy = options.trusted_proxy};
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
  const Result<OptionParser::Outcome> parsed = parser.Parse(arguments);
  if (!parsed) return PrintError(kVerb, parsed.error());
  const Result<void> done =
      *parsed == OptionParser::Outcome::kHelp ? WriteOut(parser.Help()) : Serve(options);
  return done ? kExitFine : PrintError(kVerb, done.error());
}

}  // namespace stepscope
