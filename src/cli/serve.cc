#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "advise/settings.h"
#include "cli/advise_inputs.h"
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
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts> Say;

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
  AddConfigOption(parser, &options.config);
  parser.Integer("--threads", "N", Say("serve.threads"), &options.threads, 0, 256);
  parser.Positionals("PATH", &options.paths, 1);
  parser.Example("stepscope serve trace.json.gz", Say("serve.example"));
  parser.Example("stepscope serve before.json.gz after.json.gz", Say("serve.example-two"));
  parser.Example("stepscope serve logs/", Say("serve.example-directory"));
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

Result<void> Check(const Options& options) {
  if (!HasPage()) {
    return Fail(ErrorCode::kUnsupported, Say("serve.no-web"), {}, Say("serve.make-release"));
  }
  if (!IsLoopback(options.host) && !options.no_token) {
    return Fail(ErrorCode::kUsage, Say("serve.plain-http", options.host), {}, Say("serve.use-ssh"));
  }
  return {};
}

Result<void> Serve(const Options& options) {
  Result<Settings> settings = LoadSettings(options.config);
  if (!settings) return std::unexpected(settings.error());
  if (const Result<void> fine = Check(options); !fine) return fine;
  // Signals are waited for by one thread; all others are started after this and never see them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  // Many threads send large answers, so the heap has few arenas and returns answers to the system
  // once they are sent. An arena keeps its next growth step even after trimming, so that step must
  // not be 16 MB.
  constexpr int kArenas = 4, kMapped = 1 << 20, kGrowBy = 1 << 20, kKeptFree = 4 << 20;
  mallopt(M_ARENA_MAX, kArenas);
  mallopt(M_MMAP_THRESHOLD, kMapped);
  mallopt(M_TOP_PAD, kGrowBy);
  mallopt(M_TRIM_THRESHOLD, kKeptFree);

  const std::string token = options.no_token ? "" : NewToken();
  Session session({.paths = options.paths,
                   .together = options.together,
                   .threads = static_cast<unsigned>(options.threads),
                   .settings = std::move(*settings)});
  CaptureJob captures(".",
                      [&](const std::vector<std::string>& paths) { return session.Add(paths); });
  // Who gets in without a token may look, but not make programs slower.
  const bool may_capture = !options.no_capture && !options.no_token;
  const Api api(session, {.token = token,
                          .host = options.host,
                          .embed = options.embed,
                          .captures = may_capture ? &captures : nullptr});
  HttpServer server([&](const HttpRequest& request) { return api.Answer(request); }, {});
  const Result<int> port = server.Bind(options.host, static_cast<int>(options.port));
  if (!port) return std::unexpected(port.error());

  const bool v6 = options.host.contains(':');
  const std::string host = options.host == "0.0.0.0" ? "127.0.0.1" : options.host;
  const std::string address =
      fmt::format("http://{}{}{}:{}/{}{}", v6 ? "[" : "", host, v6 ? "]" : "", *port,
                  token.empty() ? "" : "?token=", token);
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
  // Stop() leads here. Profiles that still load end with the process, at once.
  std::fflush(nullptr);
  ender.join();
  std::_Exit(kExitFine);
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
