#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "advise/settings.h"
#include "base/result.h"
#include "serve/loaded_profile.h"

namespace stepscope {

// The profiles to choose from: their files, whether they are read, and whether the files have
// changed since. One thread reads profiles, one after the other, those that somebody looks at
// first; another looks at files and directories every two seconds. When all of them take more
// memory than they may, those that were looked at longest ago are given up and read again when
// somebody asks; pages do not notice. Safe to use from many threads.
class Session {
 public:
  struct Options {
    std::vector<std::string> paths;
    bool together = false;  // all paths are one profile: the ranks of a job
    unsigned threads = 0;
    Settings settings = {};     // of the rules
    uint64_t memory_bytes = 0;  // that profiles may take; 0: half of the machine's
  };
  explicit Session(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Null while a profile is not read; also requests that it be read. Waits for one that was read
  // before and given up.
  std::shared_ptr<const LoadedProfile> Want(size_t profile);
  size_t size() const;
  // One more profile, of all these files, which is read at once. Its number.
  size_t Add(std::vector<std::string> paths);
  // Reads a profile again. False when that cannot be: there is no such profile, or it came through
  // a pipe.
  bool Reload(size_t profile);
  // The state of everything as JSON, as soon as it is newer than `seen` or a second has passed.
  // `seen` becomes its number.
  std::string StateJson(uint64_t& seen, bool wait, Language language = Language::kEnglish) const;
  void Stop();

 private:
  enum class State : uint8_t { kWaiting, kLoading, kReady, kFailed };
  struct Stamp {
    std::filesystem::file_time_type time;
    uintmax_t bytes = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Entry {
    std::string name;
    std::vector<std::string> paths;
    State state = State::kWaiting;
    double share = 0;
    std::string what;
    std::optional<Error> error;
    uint64_t revision = 0;
    bool changed = false;
    bool wanted = false;
    bool given_up = false;  // it is ready for pages, but has to be read again
    std::chrono::steady_clock::time_point asked;
    std::vector<Stamp> stamps;  // of the paths, when they were read
    uintmax_t bytes = 0;
    ProfileAbout about;  // empty until it was read
    std::shared_ptr<const LoadedProfile> loaded;
  };

  static std::vector<Stamp> StampsOf(const std::vector<std::string>& paths);
  bool Known(const std::vector<std::string>& paths) const;
  void AddEntry(std::vector<std::string> paths, bool wanted);
  void LoadLoop(const std::stop_token& stop);
  static bool HasToBeRead(const Entry& entry) {
    return entry.wanted && (entry.state == State::kWaiting || entry.given_up);
  }
  void GiveUpUnused();  // with the lock held
  void Load(size_t index, std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void WatchLoop(const std::stop_token& stop);
  void Changed();  // with the lock held

  const Options options_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::condition_variable_any work_;
  uint64_t version_ = 1;
  bool asked_ = false;  // since memory was last given back
  std::vector<std::unique_ptr<Entry>> entries_;
  std::jthread preparer_;  // touched by the loader only
  std::jthread loader_, watcher_;
};

}  // namespace stepscope
