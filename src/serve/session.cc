#include "serve/session.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "present/json_writer.h"
#include "serve/profile_files.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

// Reading a file takes all cores. So it runs at a lower priority than answering requests and the
// browser; preparing data for later runs lowest. The page then shows progress while the file is
// read, and on an idle machine reading is hardly slower. Threads started from here inherit the
// priority.
void GoBehindOthers(int by) {
  const auto thread = static_cast<id_t>(gettid());
  (void)setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + by);
}
constexpr int kReading = 5, kPreparing = 10;
constexpr auto kLetTheBrowserDraw = std::chrono::milliseconds(800);

namespace fs = std::filesystem;

std::string_view NameOfState(int state) {
  constexpr std::string_view kNames[] = {"waiting", "loading", "ready", "failed"};
  return kNames[state];
}

// Standard input, pipes and devices.
bool ReadsOnce(const std::vector<std::string>& paths) {
  return std::ranges::any_of(paths, [](const std::string& path) {
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    return path == "-" || type == fs::file_type::fifo || type == fs::file_type::character;
  });
}

Error NotEnoughMemory(const std::vector<std::string>& paths) {
  return {ErrorCode::kCannotRead,
          MemoryLimit() > 0 ? Say("serve.not-enough-limited", MemoryLimit() >> 20)
                            : Say("serve.not-enough"),
          paths.front(), std::nullopt, Say("serve.close-others")};
}

Result<std::shared_ptr<const LoadedProfile>> LoadInMemory(const std::vector<std::string>& paths,
                                                          StudyOptions options) {
  try {
    return LoadedProfile::Load(paths, std::move(options));
  } catch (const std::bad_alloc&) {
    ReturnFreeMemory();
    return std::unexpected(NotEnoughMemory(paths));
  }
}

}  // namespace

Session::Session(Options options) : options_(std::move(options)) {
  if (options_.together) {
    AddEntry(options_.paths, true);
  } else {
    // Profiles found in a directory, and all beyond the first few, wait until somebody looks at
    // them.
    constexpr size_t kReadAtOnce = 8;
    for (ProfileFiles& found : ProfilesOf(options_.paths)) {
      AddEntry(std::move(found.paths), found.named && entries_.size() < kReadAtOnce);
    }
  }
  loader_ = std::jthread([this](const std::stop_token& stop) { LoadLoop(stop); });
  watcher_ = std::jthread([this](const std::stop_token& stop) { WatchLoop(stop); });
}

Session::~Session() { Stop(); }

void Session::Stop() {
  loader_.request_stop();
  watcher_.request_stop();
  work_.notify_all();
  std::lock_guard lock(mutex_);
  Changed();  // whoever waits for news gets some, and sees that it is over
}

std::vector<Session::Stamp> Session::StampsOf(const std::vector<std::string>& paths) {
  std::vector<Stamp> stamps;
  for (const std::string& path : paths) {
    std::error_code error;
    Stamp stamp;
    if (fs::is_regular_file(path, error)) {
      stamp.time = fs::last_write_time(path, error);
      stamp.bytes = fs::file_size(path, error);
    }
    stamps.push_back(stamp);
  }
  return stamps;
}

void Session::AddEntry(std::vector<std::string> paths, bool wanted) {
  auto entry = std::make_unique<Entry>();
  entry->name = fs::path(paths.front()).filename().string();
  if (entry->name.empty()) entry->name = fs::path(paths.front()).parent_path().filename().string();
  if (paths.size() > 1) entry->name += " + " + std::to_string(paths.size() - 1);
  entry->paths = std::move(paths);
  entry->wanted = wanted;
  for (const Stamp& stamp : StampsOf(entry->paths)) entry->bytes += stamp.bytes;
  entries_.push_back(std::move(entry));
  Changed();
}

size_t Session::Add(std::vector<std::string> paths) {
  std::lock_guard lock(mutex_);
  AddEntry(std::move(paths), true);
  work_.notify_all();
  return entries_.size() - 1;
}

bool Session::Known(const std::vector<std::string>& paths) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) { return entry->paths == paths; });
}

void Session::Changed() {
  ++version_;
  changed_.notify_all();
}

size_t Session::size() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

std::shared_ptr<const LoadedProfile> Session::Want(size_t profile) {
  std::unique_lock lock(mutex_);
  if (profile >= entries_.size()) return nullptr;
  asked_ = true;
  Entry& entry = *entries_[profile];
  entry.asked = std::chrono::steady_clock::now();
  if ((entry.state == State::kWaiting || entry.given_up) && !entry.wanted) {
    entry.wanted = true;
    work_.notify_all();
  }
  const std::stop_token stop = loader_.get_stop_token();
  changed_.wait(lock, stop, [&] { return !entry.given_up; });
  return entry.loaded;
}

bool Session::Reload(size_t profile) {
  std::lock_guard lock(mutex_);
  if (profile >= entries_.size()) return false;
  Entry& entry = *entries_[profile];
  if (entry.state == State::kLoading) return true;
  // Opening a pipe that nobody writes into any more would wait for good.
  if (entry.revision > 0 && ReadsOnce(entry.paths)) return false;
  entry.state = State::kWaiting;
  entry.given_up = false;
  entry.wanted = true;
  entry.changed = false;
  work_.notify_all();
  Changed();
  return true;
}

void Session::LoadLoop(const std::stop_token& stop) {
  GoBehindOthers(kReading);  // and the threads of its pools with it
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto has_to_be_read = [](const auto& entry) { return HasToBeRead(*entry); };
    const auto next = std::ranges::find_if(entries_, has_to_be_read);
    if (next == entries_.end()) {
      work_.wait(lock, stop, [&] { return std::ranges::any_of(entries_, has_to_be_read); });
      continue;
    }
    Load(static_cast<size_t>(next - entries_.begin()), lock, stop);
  }
}

void Session::Load(size_t index, std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  Entry& entry = *entries_[index];
  const bool again = entry.given_up;  // for pages it is ready all the time
  if (!again) entry.state = State::kLoading;
  entry.wanted = false;
  entry.share = again ? 1 : 0;
  entry.error.reset();
  // The old profile is not needed while the new one is read.
  entry.loaded = nullptr;
  Changed();
  const std::vector<std::string> paths = entry.paths;
  lock.unlock();
  const std::vector<Stamp> stamps = StampsOf(paths);
  // Each update redraws every open page, on the same cores that read the file.
  constexpr double kWorthTelling = 0.01;
  constexpr auto kBetweenNews = std::chrono::milliseconds(250);
  auto told = std::chrono::steady_clock::now();
  const Progress progress = [&](double share, const char* what) {
    std::lock_guard hold(mutex_);
    const auto now = std::chrono::steady_clock::now();
    const bool news = share >= entry.share + kWorthTelling && now >= told + kBetweenNews;
    if (!news && entry.what == what) return;
    told = now;
    entry.share = share;
    entry.what = what;
    Changed();
  };
  auto loaded = LoadInMemory(paths, {.settings = options_.settings,
                                     .threads = options_.threads,
                                     .progress = progress,
                                     .stop = stop});
  lock.lock();
  if (!again || !loaded || stamps != entry.stamps) ++entry.revision;
  entry.stamps = stamps;
  entry.share = 1;
  entry.given_up = false;
  entry.state = loaded ? State::kReady : State::kFailed;
  if (!loaded) entry.error = loaded.error();
  if (loaded) {
    entry.loaded = *loaded;
    entry.asked = std::chrono::steady_clock::now();
    GiveUpUnused();
  }
  entry.about = loaded ? (*loaded)->about() : ProfileAbout();
  Changed();
  if (!loaded || stop.stop_requested()) return;
  // The report is there; the timeline and the restart points of compressed files are made in the
  // background.
  lock.unlock();
  preparer_ = std::jthread([profile = *loaded, stop] {
    GoBehindOthers(kPreparing);
    // The browser draws the report at this moment, so this waits. A request makes its data at once.
    std::mutex nobodys;
    std::unique_lock wait(nobodys);
    std::condition_variable_any().wait_for(wait, stop, kLetTheBrowserDraw, [] { return false; });
    if (stop.stop_requested()) return;
    try {
      for (const auto& trace : profile->traces()) trace->Prepare(stop);
    } catch (const std::bad_alloc&) {
      ReturnFreeMemory();  // a request for it says so
    }
  });
  lock.lock();
}

void Session::GiveUpUnused() {
  const uint64_t most =
      options_.memory_bytes > 0 ? options_.memory_bytes : PhysicalMemoryBytes() / 2;
  uint64_t taken = 0;
  std::vector<Entry*> kept;
  for (const auto& entry : entries_) {
    if (entry->loaded == nullptr) continue;
    taken += entry->loaded->Bytes();
    kept.push_back(entry.get());
  }
  // The last one asked for stays, however large it is. Standard input cannot be read twice.
  std::ranges::sort(kept, {}, &Entry::asked);
  for (size_t i = 0; i + 1 < kept.size() && taken > most; ++i) {
    Entry& entry = *kept[i];
    if (ReadsOnce(entry.paths)) continue;
    taken -= entry.loaded->Bytes();
    entry.loaded = nullptr;
    entry.given_up = true;
    entry.wanted = false;
  }
}

void Session::WatchLoop(const std::stop_token& stop) {
  constexpr auto kEvery = std::chrono::seconds(2);
  constexpr int kBusyRounds = 10;
  int untrimmed = 0;  // rounds with requests since memory was given back
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, kEvery, [] { return false; });
    if (stop.stop_requested()) return;
    struct Read {
      Entry* entry;
      std::vector<std::string> paths;
      std::vector<Stamp> stamps;
    };
    std::vector<Read> settled;
    for (const auto& entry : entries_) {
      const bool done = entry->state == State::kReady || entry->state == State::kFailed;
      if (done && !entry->changed) settled.push_back({entry.get(), entry->paths, entry->stamps});
    }
    GiveUpUnused();  // timelines that were made since are counted, too
    const bool asked = std::exchange(asked_, false);
    lock.unlock();
    // The memory in which answers were built goes back to the system instead of staying in the
    // allocator. That delays a current answer by some 10 ms, so it happens when nobody asks, or
    // seldom.
    if (asked) ++untrimmed;
    if (untrimmed > 0 && (!asked || untrimmed >= kBusyRounds)) {
      ReturnFreeMemory();
      untrimmed = 0;
    }
    std::vector<Entry*> newer;
    for (const Read& read : settled) {
      if (StampsOf(read.paths) != read.stamps) newer.push_back(read.entry);
    }
    std::vector<ProfileFiles> now;
    if (!options_.together) now = ProfilesOf(options_.paths);
    lock.lock();
    for (Entry* entry : newer) entry->changed = true;
    if (!newer.empty()) Changed();
    for (ProfileFiles& found : now) {
      if (!Known(found.paths)) AddEntry(std::move(found.paths), false);
    }
  }
}

std::string Session::StateJson(uint64_t& seen, bool wait, Language language) const {
  std::unique_lock lock(mutex_);
  if (wait) {
    changed_.wait_for(lock, std::chrono::seconds(1), [&] { return version_ != seen; });
    if (version_ == seen) return {};
  }
  seen = version_;
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject();
  json.Field("version", STEPSCOPE_VERSION);
  json.Key("profiles");
  json.BeginArray();
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = *entries_[i];
    json.BeginObject();
    json.Field("id", i);
    json.Field("name", entry.name);
    json.Key("paths");
    json.BeginArray();
    for (const std::string& path : entry.paths) json.Value(path);
    json.EndArray();
    json.Field("state", NameOfState(static_cast<int>(entry.state)));
    json.Field("share", entry.share);
    json.Field("what", entry.what);
    json.Key("error");
    if (entry.error) {
      json.BeginObject();
      json.Field("sentence", entry.error->sentence);
      json.Field("file", entry.error->file);
      json.Field("offset", entry.error->offset);
      json.Field("next_step", entry.error->next_step);
      json.EndObject();
    } else {
      json.Value(nullptr);
    }
    json.Field("revision", entry.revision);
    json.Field("changed", entry.changed);
    json.Field("bytes", static_cast<uint64_t>(entry.bytes));
    json.Key("memory");
    if (entry.loaded != nullptr) {
      uint64_t events = 0;
      for (const auto& trace : entry.loaded->traces()) events += trace->trace().events.in_file;
      json.BeginObject();
      json.Field("profile_bytes", entry.loaded->ProfileBytes());
      json.Field("events", events);
      json.EndObject();
    } else {
      json.Value(nullptr);
    }
    json.Key("about");
    json.Raw(entry.about.english.empty() ? "null" : entry.about.In(language));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return out;
}

}  // namespace stepscope
