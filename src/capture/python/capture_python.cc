#include "capture/python/capture_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/json_document.h"
#include "base/message_saying.h"
#include "capture/kineto/collect.h"
#include "capture/processes/processes.h"
#include "capture/python/hook_connection.h"
#include "words/capture.h"
#include "words/loss.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// As the hook reads it: from the next step on.
std::string WindowText(const KinetoOptions& options, milliseconds duration) {
  constexpr int kMostSeconds = 600;
  std::string window = "first=0;";
  if (options.steps > 0) {
    window += fmt::format("count={};for={};", options.steps, kMostSeconds);
  } else {
    window += fmt::format("for={};", static_cast<double>(duration.count()) / 1e3);
  }
  if (options.stacks) window += "stacks=1;";
  if (options.memory) window += "memory=1;";
  return window;
}

class PythonCapture {
 public:
  PythonCapture(ProcessFacts process, const KinetoOptions& options, const CaptureRequest& request)
      : process_(std::move(process)), options_(options), request_(request) {}

  Result<Captured> Run() {
    std::optional<HookConnection> hook = HookConnection::Open(OwnPid(process_.pid));
    if (!hook) {
      request_.on_moment({.phase = CapturePhase::kConnecting, .what = name_});
      if (process_.other_network) {
        return Fail(ErrorCode::kCannotRead, Say("capture.own-network", process_.pid), {},
                    Say("capture.run-inside"));
      }
      if (const Result<void> brought = BringHookInto(process_.pid); !brought) {
        return std::unexpected(brought.error());
      }
      return Ask(HookConnection::Open(OwnPid(process_.pid)));
    }
    return Ask(std::move(hook));
  }

 private:
  Result<Captured> Ask(std::optional<HookConnection> hook) {
    const std::string window = WindowText(options_, request_.duration);
    if (!hook || !hook->Send(fmt::format("{{\"window\": \"{}\"}}\n", window))) return Ended();
    return Follow(*hook);
  }

  std::unexpected<Error> Ended() const {
    return Fail(ErrorCode::kCannotRead, Say("capture.ended-before", name_), {},
                Say("capture.check-log-again"));
  }

  Result<Captured> Follow(HookConnection& hook) {
    constexpr milliseconds kTick{50};
    bool told = false;
    while (true) {
      if (request_.stop.stop_requested() && !told) {
        told = true;
        (void)hook.Send("stop\n");
      }
      Tell();
      const std::optional<std::string> line = hook.Line(kTick);
      if (!line && hook.ended()) return Ended();
      if (!line) continue;
      const Result<JsonValue> said = ParseJson(*line);
      if (!said) return Ended();
      if (!(*said)["began"].is_null()) began_ = Clock::now();
      if (const JsonValue& why = (*said)["failed"]; !why.is_null()) return Failed(why);
      if (const JsonValue& paths = (*said)["done"]; !paths.is_null()) {
        Result<Captured> captured = Take(paths);
        (void)hook.Send("\n");  // it removes its folder
        return captured;
      }
    }
  }

  std::unexpected<Error> Failed(const JsonValue& why) const {
    if (request_.stop.stop_requested()) {
      return Fail(ErrorCode::kInterrupted, Say("capture.interrupted-asking"));
    }
    return Fail(ErrorCode::kCannotRead,
                Say("capture.hook-refused", name_, MessageSaying(kLossTexts, why.text())), {},
                Say("capture.wait-own"));
  }

  void Tell() const {
    CaptureMoment moment{.phase = CapturePhase::kWarmUp, .what = name_};
    if (began_) {
      const std::chrono::duration<double> elapsed = Clock::now() - *began_;
      const double left = static_cast<double>(request_.duration.count()) / 1e3 - elapsed.count();
      moment.phase =
          options_.steps > 0 || left > 0 ? CapturePhase::kCollecting : CapturePhase::kWriting;
      moment.seconds_left = options_.steps > 0 ? 0 : std::max(0.0, left);
    }
    request_.on_moment(moment);
  }

  // Through the process's own root: in a container it has another one than we have.
  Result<Captured> Take(const JsonValue& paths) {
    const std::string rank = process_.variable("RANK");
    const std::string stem = rank.empty() ? fmt::format("pid{}", process_.pid)
                                          : fmt::format("rank{}_pid{}", rank, process_.pid);
    Captured captured;
    for (const JsonValue& path : paths.items()) {
      const std::string from = fmt::format("/proc/{}/root{}", process_.pid, path.text());
      const std::string file = path.text().substr(path.text().rfind('/') + 1);
      const bool json = file.ends_with(".json");
      const std::string to = json ? fmt::format("{}/{}.pt.trace.json.gz", request_.directory, stem)
                                  : fmt::format("{}/{}_{}", request_.directory, stem, file);
      Result<CapturedFile> taken = BringFile(from, to, name_);
      if (!taken) return std::unexpected(taken.error());
      captured.files.push_back(std::move(*taken));
    }
    if (captured.files.empty()) {
      return Fail(ErrorCode::kDamaged, Say("capture.hook-nothing", name_), {},
                  Say("capture.while-steps"));
    }
    return captured;
  }

  const ProcessFacts process_;
  const KinetoOptions options_;
  const CaptureRequest& request_;
  const Message name_ = NameOfRank({.pid = process_.pid, .rank = process_.variable("RANK")});
  std::optional<Clock::time_point> began_;
};

}  // namespace

Result<Captured> CaptureFromPython(int pid, const KinetoOptions& options,
                                   const CaptureRequest& request) {
  const std::vector<ProcessFacts> all = ReadProcesses();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ProcessFacts& process) { return process.pid == pid; });
  if (found == all.end() || !IsAlive(pid)) {
    return Fail(ErrorCode::kCannotRead, Say("capture.no-process", pid), {},
                Say("capture.list-shows"));
  }
  if (!found->readable) {
    return Fail(ErrorCode::kCannotRead, Say("capture.of-user", pid, UserName(found->uid)), {},
                Say("capture.run-as-user"));
  }
  return PythonCapture(*found, options, request).Run();
}

}  // namespace stepscope
