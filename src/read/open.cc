#include "read/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "read/logdir.h"
#include "read/recording/recording.h"
#include "read/sqlite_readers.h"
#include "read/tensorflow_readers.h"
#include "read/trace_readers.h"
#include "words/quality.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts, kQualityTexts> Say;

namespace fs = std::filesystem;

// All files below a directory, sorted; hidden ones are left out. Symbolic links to directories are
// not followed, so that there are no circles.
std::vector<std::string> FilesBelow(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied,
                                      error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      if (hidden) at.disable_recursion_pending();
    } else if (!hidden && at->is_regular_file(ignored)) {
      files.push_back(at->path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What ended the source if it ends behind these bytes: a file that is cut in its first block is
// cut, not empty or unknown.
std::optional<Error> FaultBehind(OpenedSource& source, size_t bytes) {
  std::string again(bytes + 1, '\0');
  size_t filled = 0;
  while (filled < again.size()) {
    Result<size_t> got = source.bytes->Read({again.data() + filled, again.size() - filled});
    if (!got) return std::move(got.error());
    if (*got == 0) break;
    filled += *got;
  }
  return std::nullopt;
}

class Opener {
 public:
  Opener(const OpenOptions& options, TaskPool& pool) : options_(options), pool_(pool) {}

  Result<Profile> Run(const std::vector<std::string>& paths) {
    profile_.paths = paths;
    std::vector<TypedFile> named;
    for (const std::string& path : paths) {
      std::error_code error;
      if (path != "-" && fs::is_directory(path, error)) {
        OpenDirectory(path);
      } else {
        Classify(path, true, named);
      }
    }
    OpenGroups(named);
    if (options_.stop.stop_requested()) {
      return std::unexpected(Interrupted(paths.empty() ? std::string() : paths.front()));
    }
    if (profile_.traces.empty()) return std::unexpected(WhyNothing(paths));
    OrderByRank();
    for (const Error& error : failed_) {
      profile_.diagnostics.front().Add(Diagnostic::kFileSkipped, 1, error.offset,
                                       Say("quality.of-file", error.file, error.sentence));
    }
    return std::move(profile_);
  }

 private:
  // What `stepscope record` wrote: each process's profile with what was recorded around it.
  void OpenRecording(const std::string& directory) {
    const auto open = [this](const std::vector<std::string>& paths) {
      return Opener(options_, pool_).Run(paths);
    };
    Result<Profile> recorded = recording::OpenRecording(directory, open, pool_);
    if (!recorded) {
      failed_.push_back(std::move(recorded.error()));
      return;
    }
    for (size_t i = 0; i < recorded->traces.size(); ++i) {
      Add(std::move(recorded->traces[i]), recorded->diagnostics[i]);
    }
  }

  void OpenDirectory(const std::string& directory) {
    if (recording::IsRecording(directory)) return OpenRecording(directory);
    if (IsNsysParquetDirectory(directory)) {
      failed_.push_back(NsysParquetRefused(directory));
      return;
    }
    Result<std::vector<std::string>> files =
        SelectFromLogdir(directory, FilesBelow(directory), options_.run);
    if (!files) {
      failed_.push_back(std::move(files.error()));
      return;
    }
    const size_t before = profile_.traces.size();
    std::vector<TypedFile> found;
    for (const std::string& file : *files) Classify(file, false, found);
    OpenGroups(found);
    if (profile_.traces.size() > before) return;
    Messages sentence = Say("read.no-profile-here");
    std::string list;
    for (const auto& [what, count] : skipped_) {
      list += fmt::format("{}{} × {}", list.empty() ? "" : ", ", count, what);
    }
    if (!list.empty()) sentence += Say("read.it-holds", list);
    failed_.push_back({ErrorCode::kCannotRead, std::move(sentence), directory, std::nullopt,
                       Say("read.give-written")});
  }

  // Files that other files of the same call may belong to wait until all are known.
  void Classify(const std::string& path, bool named, std::vector<TypedFile>& files) {
    if (options_.stop.stop_requested()) return;
    Result<OpenedSource> source = OpenSource(path, options_.stop);
    if (!source) {
      failed_.push_back(std::move(source.error()));
      return;
    }
    const std::string head = Peek(*source, kSniffedBytes);
    const FileType type = FileTypeOf(head);
    const bool grouped = type == FileType::kRunMetadata || type == FileType::kGraphDef;
    if (type == FileType::kGraphDef && options_.graphs != nullptr) options_.graphs->push_back(path);
    if (type == FileType::kExecutionTrace && options_.executions != nullptr && path != "-") {
      options_.executions->push_back(path);
      ++skipped_[std::string(NameOf(type))];
      if (named) lone_.push_back(WhyNotRead(type, path, head));
      return;
    }
    if (grouped && path != "-") {
      files.push_back({path, type, named});
    } else {
      OpenFile(std::move(*source), type, named, head);
    }
  }

  void OpenGroups(const std::vector<TypedFile>& files) {
    for (const FileGroup& group : GroupFiles(files)) {
      if (group.type != FileType::kRunMetadata) {
        ++skipped_[std::string(NameOf(group.type))];
        if (group.named) failed_.push_back(WhyNotRead(group.type, group.files.front(), {}));
        continue;
      }
      Diagnostics diagnostics;
      Result<Trace> trace = ReadRunMetadataFiles(group.files, group.graph, pool_, diagnostics);
      if (trace) {
        trace->other_paths.assign(group.files.begin() + 1, group.files.end());
        if (!group.graph.empty()) trace->other_paths.push_back(group.graph);
      }
      Add(std::move(trace), diagnostics);
    }
  }

  void OpenFile(OpenedSource source, FileType type, bool named, std::string_view head) {
    const std::string path = source.path;
    // A snapshot of memory beside traces is not another rank of their job.
    const bool wanted = named || type != FileType::kMemorySnapshot;
    const TraceReader read = wanted ? ReaderOf(type) : nullptr;
    if (read == nullptr) {
      ++skipped_[std::string(NameOf(type))];
      if (std::optional<Error> fault = FaultBehind(source, head.size())) {
        fault->next_step = Say("read.copy-or-record");
        failed_.push_back(std::move(*fault));
      } else if (named) {
        failed_.push_back(WhyNotRead(type, path, head));
      }
      return;
    }
    Diagnostics diagnostics;
    Result<Trace> trace = read(std::move(source), options_, pool_, diagnostics);
    if (!trace && !named && trace.error().code == ErrorCode::kUnsupported) {
      ++skipped_[std::string(NameOf(type))];
      return;
    }
    Add(std::move(trace), diagnostics);
  }

  void Add(Result<Trace> trace, Diagnostics& diagnostics) {
    if (!trace) {
      failed_.push_back(std::move(trace.error()));
      return;
    }
    profile_.traces.push_back(std::move(*trace));
    profile_.diagnostics.push_back(std::move(diagnostics));
  }

  // A single fault is reported as it is; of several, the first with the number of the others.
  Error WhyNothing(const std::vector<std::string>& paths) {
    failed_.insert(failed_.end(), lone_.begin(), lone_.end());
    if (failed_.empty()) {
      return {ErrorCode::kUsage, Say("read.nothing"), {}, std::nullopt, Say("read.give-file")};
    }
    Error error = failed_.front();
    if (paths.size() > 1 && failed_.size() > 1) {
      error.sentence += Say("read.others-failed", failed_.size() - 1);
    }
    return error;
  }

  // The ranks of a job in their order, where every trace says a different one.
  void OrderByRank() {
    std::vector<size_t> order(profile_.traces.size());
    std::set<int64_t> ranks;
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      if (!profile_.traces[i].facts.rank) return;
      ranks.insert(*profile_.traces[i].facts.rank);
    }
    if (ranks.size() != order.size()) return;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return *profile_.traces[a].facts.rank < *profile_.traces[b].facts.rank;
    });
    Profile sorted;
    sorted.paths = std::move(profile_.paths);
    for (const size_t i : order) {
      sorted.traces.push_back(std::move(profile_.traces[i]));
      sorted.diagnostics.push_back(std::move(profile_.diagnostics[i]));
    }
    profile_ = std::move(sorted);
  }

  const OpenOptions& options_;
  TaskPool& pool_;
  Profile profile_;
  std::vector<Error> failed_;
  std::map<std::string, size_t> skipped_;
  std::vector<Error> lone_;  // files that belong to a profile: faults where none came with them
};

}  // namespace

Result<std::vector<FoundFile>> FindFiles(const std::vector<std::string>& paths,
                                         const std::string& run) {
  std::vector<FoundFile> found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      found.push_back({path, path == "-" ? FileType::kUnknown : FileTypeAt(path), true});
      continue;
    }
    if (recording::IsRecording(path)) {
      found.push_back({path, FileType::kRecording, true});
      continue;
    }
    Result<std::vector<std::string>> files = SelectFromLogdir(path, FilesBelow(path), run);
    if (!files) return std::unexpected(std::move(files.error()));
    for (std::string& file : *files) {
      const FileType type = FileTypeAt(file);
      found.push_back({std::move(file), type, false});
    }
  }
  return found;
}

Result<Profile> OpenProfile(const std::vector<std::string>& paths, const OpenOptions& options,
                            TaskPool& pool) {
  return Opener(options, pool).Run(paths);
}

}  // namespace stepscope
