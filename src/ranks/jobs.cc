#include "ranks/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "ranks/analyze_job.h"

namespace stepscope {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The number at the place, and where it ends.
std::optional<std::pair<int64_t, size_t>> NumberAt(std::string_view text, size_t at) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (at >= text.size() || !IsDigit(text[at]) || error != std::errc{}) return std::nullopt;
  return std::pair(number, static_cast<size_t>(end - text.data()));
}

bool SameLetters(std::string_view text, size_t at, std::string_view lower) {
  if (at + lower.size() > text.size()) return false;
  for (size_t i = 0; i < lower.size(); ++i) {
    const char c = text[at + i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
  }
  return true;
}

// A word before a number that means the rank, at the start of a word of the path.
size_t RankWordAt(std::string_view path, size_t at) {
  if (at > 0 && IsLetter(path[at - 1])) return 0;
  for (const std::string_view word : {"rank", "worker", "r"}) {
    if (!SameLetters(path, at, word)) continue;
    size_t end = at + word.size();
    // A single letter is a rank only where a number and the end of a word follow at once.
    if (word == "r") {
      const auto number = NumberAt(path, end);
      if (!number || (number->second < path.size() && IsLetter(path[number->second]))) continue;
      return end;
    }
    if (end < path.size() && (path[end] == '_' || path[end] == '-' || path[end] == '=')) ++end;
    if (end < path.size() && IsDigit(path[end])) return end;
  }
  return 0;
}

std::string WithoutDigits(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!IsDigit(c)) out += c;
  }
  return out;
}

std::string FolderOf(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? "" : path.substr(0, slash));
}

// A digest that may be a rank.
struct Candidate {
  size_t place = 0;
  int64_t rank = 0;
  std::optional<int64_t> world_size;
  std::string rest;    // the path without the rank
  std::string groups;  // of all that the file names
  int64_t from = 0, to = 0;
};

std::string GroupsOf(const RankDigest& digest) {
  std::set<std::string> of_all;  // groups with every rank in them are the same in all files
  for (const RankGroup& group : digest.groups) {
    if (group.size == digest.world_size) of_all.insert(group.name);
  }
  return fmt::format("{}", fmt::join(of_all, ","));
}

std::vector<Candidate> CandidatesOf(std::span<const RankDigest> digests) {
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < digests.size(); ++i) {
    const RankDigest& digest = digests[i];
    if (digest.format == Format::kXPlane) continue;
    const RankInPath path = RankOfPath(digest.path);
    const std::optional<int64_t> rank = digest.rank ? digest.rank : path.rank;
    if (!rank || *rank < 0) continue;
    const std::optional<int64_t> world = digest.world_size ? digest.world_size : path.world_size;
    // A rank without a number of ranks, in a path that does not name it, is no evidence.
    if (world == 1 || (!world && !path.rank)) continue;
    candidates.push_back({i, *rank, world, path.rest, GroupsOf(digest), digest.epoch_ns,
                          digest.epoch_ns + digest.span.ns});
  }
  return candidates;
}

bool RanksDiffer(const std::vector<Candidate>& candidates) {
  std::set<int64_t> seen;
  return std::ranges::all_of(candidates,
                             [&](const Candidate& one) { return seen.insert(one.rank).second; });
}

// Runs of one program, one after the other: each takes the ranks that ran while it did.
std::vector<std::vector<Candidate>> SplitByTime(std::vector<Candidate> candidates) {
  // A whole job, whatever its clocks say.
  if (RanksDiffer(candidates) &&
      candidates.front().world_size == static_cast<int64_t>(candidates.size())) {
    return {std::move(candidates)};
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::from);
  std::vector<std::vector<Candidate>> runs;
  for (Candidate& candidate : candidates) {
    const auto fits = [&](const std::vector<Candidate>& run) {
      return std::ranges::none_of(run, [&](const Candidate& other) {
        const bool apart = other.to < candidate.from || candidate.to < other.from;
        return other.rank == candidate.rank || (apart && other.from != 0 && candidate.from != 0);
      });
    };
    const auto at = std::ranges::find_if(runs, fits);
    if (at == runs.end()) {
      runs.push_back({std::move(candidate)});
    } else {
      at->push_back(std::move(candidate));
    }
  }
  return runs;
}

// Whether two sets of ranks, whose paths differ in numbers, can be parts of one job.
bool CanBeOneJob(const std::vector<Candidate>& a, const std::vector<Candidate>& b) {
  const auto taken = [&](const Candidate& one) {
    return std::ranges::find(b, one.rank, &Candidate::rank) != b.end();
  };
  const Candidate &x = a.front(), &y = b.front();
  return WithoutDigits(x.rest) == WithoutDigits(y.rest) && x.world_size == y.world_size &&
         x.groups == y.groups && std::ranges::none_of(a, taken) &&
         static_cast<int64_t>(a.size() + b.size()) <= x.world_size.value_or(0);
}

bool RanAtOneTime(const std::vector<Candidate>& a, const std::vector<Candidate>& b) {
  return std::ranges::any_of(a, [&](const Candidate& x) {
    return std::ranges::any_of(b, [&](const Candidate& y) {
      return x.from != 0 && y.from != 0 && y.from <= x.to && x.from <= y.to;
    });
  });
}

// Ranks of one job may have paths of their node (node0_rank0, node1_rank2): parts that lack ranks
// are put together with those that ran at the same time, or that make them whole, whatever their
// clocks say.
std::vector<std::vector<Candidate>> JoinParts(std::vector<std::vector<Candidate>> parts) {
  std::vector<std::vector<Candidate>> jobs;
  for (std::vector<Candidate>& part : parts) {
    const auto runs_with = [&](const std::vector<Candidate>& job) {
      return CanBeOneJob(job, part) && RanAtOneTime(job, part);
    };
    const auto completes = [&](const std::vector<Candidate>& job) {
      return CanBeOneJob(job, part) &&
             static_cast<int64_t>(job.size() + part.size()) == part.front().world_size;
    };
    auto at = std::ranges::find_if(jobs, runs_with);
    if (at == jobs.end()) at = std::ranges::find_if(jobs, completes);
    if (at == jobs.end()) {
      jobs.push_back(std::move(part));
    } else {
      at->insert(at->end(), part.begin(), part.end());
    }
  }
  return jobs;
}

// What the paths have in common, with a star for what differs.
std::string CommonName(const std::vector<Candidate>& candidates) {
  const std::string& first = candidates.front().rest;
  size_t head = first.size(), tail = first.size();
  for (const Candidate& candidate : candidates) {
    const std::string& other = candidate.rest;
    head = std::min(head,
                    static_cast<size_t>(std::ranges::mismatch(first, other).in1 - first.begin()));
    const auto back = std::mismatch(first.rbegin(), first.rend(), other.rbegin(), other.rend());
    tail = std::min(tail, static_cast<size_t>(back.first - first.rbegin()));
  }
  if (head == first.size()) return first;
  tail = std::min(tail, first.size() - head);
  return fmt::format("{}*{}", first.substr(0, head), first.substr(first.size() - tail));
}

JobFiles FilesOf(std::vector<Candidate> candidates) {
  JobFiles files;
  std::ranges::stable_sort(candidates, {}, &Candidate::rank);
  for (const Candidate& candidate : candidates) {
    files.members.push_back(candidate.place);
    files.ranks.push_back(candidate.rank);
    files.world_size =
        std::max({files.world_size, candidate.rank + 1, candidate.world_size.value_or(0)});
  }
  files.name = CommonName(candidates);
  return files;
}

// "node1_4711.17.pt.trace.json": TensorBoard's handler names files by host and process.
std::optional<std::pair<std::string, int64_t>> ProcessInPath(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::string_view stem = name.substr(0, name.find('.'));
  const size_t line = stem.find_last_of('_');
  if (line == std::string_view::npos || line == 0 || stem.size() == name.size()) {
    return std::nullopt;
  }
  const auto process = NumberAt(stem, line + 1);
  if (!process || process->second != stem.size()) return std::nullopt;
  return std::pair(std::string(stem.substr(0, line)), process->first);
}

// Files that do not know their rank: processes that communicate, in one folder, at the same time.
// They are numbered by host and process.
void AddProcesses(std::span<const RankDigest> digests, std::vector<JobFiles>& jobs) {
  using Process = std::tuple<std::string, int64_t, size_t>;
  std::map<std::pair<std::string, std::string>, std::vector<Process>> by_folder;
  for (size_t i = 0; i < digests.size(); ++i) {
    const RankDigest& digest = digests[i];
    const auto process = ProcessInPath(digest.path);
    if (!process || digest.rank || !digest.communicates || digest.epoch_ns == 0) continue;
    if (digest.format == Format::kXPlane || RankOfPath(digest.path).rank) continue;
    by_folder[{FolderOf(digest.path), digest.framework}].emplace_back(process->first,
                                                                      process->second, i);
  }
  for (auto& [folder, processes] : by_folder) {
    std::ranges::sort(processes);
    std::vector<Candidate> candidates;
    for (const auto& [host, process, i] : processes) {
      const RankDigest& digest = digests[i];
      candidates.push_back({i,
                            static_cast<int64_t>(candidates.size()),
                            std::nullopt,
                            digest.path,
                            {},
                            digest.epoch_ns,
                            digest.epoch_ns + digest.span.ns});
    }
    for (std::vector<Candidate>& run : SplitByTime(std::move(candidates))) {
      if (run.size() < 2) continue;
      std::ranges::sort(run, {}, &Candidate::rank);
      for (size_t r = 0; r < run.size(); ++r) run[r].rank = static_cast<int64_t>(r);
      jobs.push_back(FilesOf(std::move(run)));
    }
  }
}

// Hosts of one run of a log directory.
void AddHosts(std::span<const RankDigest> digests, std::vector<JobFiles>& jobs) {
  std::map<std::string, std::vector<size_t>> by_folder;
  for (size_t i = 0; i < digests.size(); ++i) {
    const std::string folder = FolderOf(digests[i].path);
    if (digests[i].format != Format::kXPlane) continue;
    if (folder.find("plugins/profile/") == std::string::npos) continue;
    by_folder[folder].push_back(i);
  }
  for (auto& [folder, places] : by_folder) {
    if (places.size() < 2) continue;
    std::ranges::sort(places, {}, [&](size_t i) { return digests[i].path; });
    JobFiles files{folder, places, {}, static_cast<int64_t>(places.size())};
    for (size_t i = 0; i < places.size(); ++i) files.ranks.push_back(static_cast<int64_t>(i));
    jobs.push_back(std::move(files));
  }
}

}  // namespace

RankInPath RankOfPath(std::string_view path) {
  RankInPath found;
  found.rest = path;
  // "_3_of_8"
  for (size_t at = path.find("_of_"); at != std::string_view::npos;
       at = path.find("_of_", at + 1)) {
    const auto world = NumberAt(path, at + 4);
    size_t from = at;
    while (from > 0 && IsDigit(path[from - 1])) --from;
    const auto rank = NumberAt(path, from);
    if (!world || !rank || from == at || rank->first >= world->first) continue;
    found.rank = rank->first;
    found.world_size = world->first;
    found.rest = fmt::format("{}*{}", path.substr(0, from), path.substr(world->second));
    return found;
  }
  // The last one: folders come before files.
  for (size_t at = path.size(); at-- > 0;) {
    const size_t number = RankWordAt(path, at);
    if (number == 0) continue;
    const auto rank = NumberAt(path, number);
    if (!rank) continue;
    found.rank = rank->first;
    found.rest = fmt::format("{}*{}", path.substr(0, number), path.substr(rank->second));
    return found;
  }
  return found;
}

std::vector<JobFiles> GroupJobs(std::span<const RankDigest> digests) {
  using Key = std::tuple<std::string, int64_t, std::string>;
  std::map<Key, std::vector<Candidate>> by_path;
  for (Candidate& candidate : CandidatesOf(digests)) {
    by_path[{candidate.rest, candidate.world_size.value_or(-1), candidate.groups}].push_back(
        std::move(candidate));
  }
  std::vector<JobFiles> jobs;
  std::vector<std::vector<Candidate>> parts;
  std::map<Key, std::vector<Candidate>> others;
  for (auto& [key, candidates] : by_path) {
    if (candidates.size() > 1 && RanksDiffer(candidates)) {
      parts.push_back(std::move(candidates));
      continue;
    }
    for (Candidate& candidate : candidates) {
      others[{WithoutDigits(candidate.rest), candidate.world_size.value_or(-1), candidate.groups}]
          .push_back(std::move(candidate));
    }
  }
  for (std::vector<Candidate>& job : JoinParts(std::move(parts))) {
    jobs.push_back(FilesOf(std::move(job)));
  }
  // Names that also differ in letters (of hosts) are told apart by folder and time alone.
  std::map<Key, std::vector<Candidate>> by_folder;
  const auto take = [&](std::vector<Candidate> candidates, auto rest) {
    for (std::vector<Candidate>& run : SplitByTime(std::move(candidates))) {
      run.size() > 1 ? jobs.push_back(FilesOf(std::move(run))) : rest(std::move(run.front()));
    }
  };
  for (auto& [key, candidates] : others) {
    take(std::move(candidates), [&](Candidate alone) {
      by_folder[{FolderOf(alone.rest), alone.world_size.value_or(-1), alone.groups}].push_back(
          std::move(alone));
    });
  }
  for (auto& [key, candidates] : by_folder) take(std::move(candidates), [](const Candidate&) {});
  AddHosts(digests, jobs);
  AddProcesses(digests, jobs);
  std::ranges::stable_sort(jobs, [](const JobFiles& a, const JobFiles& b) {
    return a.members.size() > b.members.size();
  });
  return jobs;
}

JobsReport AnalyzeJobs(std::vector<RankDigest> digests) {
  JobsReport report;
  report.digests = std::move(digests);
  std::set<size_t> in_jobs;
  for (JobFiles& files : GroupJobs(report.digests)) {
    in_jobs.insert(files.members.begin(), files.members.end());
    Job job = AnalyzeJob(report.digests, files.members, files.ranks, files.world_size);
    job.name = std::move(files.name);
    report.jobs.push_back(std::move(job));
  }
  for (size_t i = 0; i < report.digests.size(); ++i) {
    if (!in_jobs.contains(i)) report.alone.push_back(i);
  }
  report.scaling = FindScaling(report);
  return report;
}

}  // namespace stepscope
