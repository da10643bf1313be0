#include "serve/capture_job.h"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "present/capture_text.h"
#include "present/json_writer.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

std::string FolderName() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  std::strftime(text, sizeof text, "capture_%Y-%m-%d_%H-%M-%S", &local);
  return text;
}

// What failed or was cut beside the profiles that came, in sentences.
Messages RemarksOf(const Captured& captured) {
  Messages out;
  const auto add = [&](const Messages& sentence) {
    Messages both = out.empty() ? sentence : Messages(Say("serve.and", std::move(out), sentence));
    out = std::move(both);
  };
  for (const Error& failure : captured.failures) add(failure.sentence);
  for (const Sentences& remark : captured.remarks) add(remark);
  for (const CapturedFile& file : captured.files) {
    if (!file.why_empty.empty()) add(file.why_empty);
  }
  return out;
}

}  // namespace

CaptureJob::CaptureJob(std::string folder, OnCaptured on_captured)
    : folder_(std::move(folder)), on_captured_(std::move(on_captured)) {}

CaptureJob::~CaptureJob() { Stop(); }

bool CaptureJob::Start(CaptureTarget target, CaptureChoices choices,
                       std::chrono::milliseconds duration) {
  const std::scoped_lock lock(mutex_);
  if (state_ == "running") return false;
  state_ = "running";
  sentence_ = next_ = {};
  profile_ = -1;
  ++version_;
  changed_.notify_all();
  // The one before has ended: its thread is joined here.
  thread_ =
      std::jthread([this, target = std::move(target), choices = std::move(choices), duration](
                       const std::stop_token& stop) { Run(target, choices, duration, stop); });
  return true;
}

void CaptureJob::Stop() {
  const std::scoped_lock lock(mutex_);
  thread_.request_stop();
}

void CaptureJob::Set(std::string state, Sentences sentence, Sentences next, int64_t profile) {
  const std::scoped_lock lock(mutex_);
  if (state_ == state && sentence_ == sentence) return;
  state_ = std::move(state);
  sentence_ = std::move(sentence);
  next_ = std::move(next);
  profile_ = profile;
  ++version_;
  changed_.notify_all();
}

void CaptureJob::Run(const CaptureTarget& target, const CaptureChoices& choices,
                     std::chrono::milliseconds duration, const std::stop_token& stop) {
  const std::string folder = folder_ + "/" + FolderName();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Set("failed", Say("serve.cannot-make", folder, error.message()),
               Say("serve.writable-folder"), -1);
  }
  const Result<Captured> captured = CaptureFrom(
      target, choices,
      {.duration = duration,
       .directory = folder,
       .on_moment =
           [this](const CaptureMoment& moment) { Set("running", CaptureSentence(moment), "", -1); },
       .stop = stop});
  if (!captured) {
    std::filesystem::remove(folder, error);  // only where it is empty
    return Set("failed", captured.error().sentence, captured.error().next_step, -1);
  }
  std::vector<std::string> paths;
  for (const CapturedFile& file : captured->files) paths.push_back(file.path);
  Set("done", RemarksOf(*captured), "", static_cast<int64_t>(on_captured_(paths)));
}

std::string CaptureJob::StateJson(uint64_t& seen, bool wait, Language language) const {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait_for(lock, std::chrono::seconds(1), [&] { return version_ != seen; });
  if (wait && version_ == seen) return {};
  seen = version_;
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject();
  json.Field("state", state_);
  json.Field("sentence", sentence_);
  json.Field("next", next_);
  json.Field("profile", profile_ < 0 ? std::optional<int64_t>() : profile_);
  json.EndObject();
  return out;
}

}  // namespace stepscope
