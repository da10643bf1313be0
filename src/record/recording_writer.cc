#include "record/recording_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/ids.h"
#include "io/crc32.h"

namespace stepscope {
namespace {

using recording::BlockType;

template <typename T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

int64_t ClockNs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

int64_t MonotonicNs() { return ClockNs(CLOCK_MONOTONIC); }

RecordingWriter::RecordingWriter(RecordingWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      error_(std::move(other.error_)),
      facts_(std::move(other.facts_)),
      strings_(std::move(other.strings_)),
      stacks_(std::move(other.stacks_)),
      samples_(std::move(other.samples_)),
      counters_(std::move(other.counters_)),
      string_ids_(std::move(other.string_ids_)),
      stack_ids_(std::move(other.stack_ids_)) {}

RecordingWriter::~RecordingWriter() {
  if (fd_ < 0) return;
  Flush();
  close(fd_);
}

bool RecordingWriter::Open(const std::string& path) {
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ < 0) {
    error_ = std::strerror(errno);
    return false;
  }
  std::string header(recording::kFileMagic);
  Put(header, recording::kVersion);
  Put(header, uint32_t{0});
  Append(header);
  return is_open();
}

void RecordingWriter::Pending::Add(int64_t time) {
  if (rows++ == 0) first = time;
  last = time;
}

void RecordingWriter::Fact(std::string_view key, std::string_view value) {
  facts_.Add(MonotonicNs());
  Put(facts_.bytes, static_cast<uint32_t>(key.size()));
  Put(facts_.bytes, static_cast<uint32_t>(value.size()));
  facts_.bytes.append(key).append(value);
}

// The reading whose two monotonic stamps are closest is the truest of three.
void RecordingWriter::Clock() {
  int64_t best_width = INT64_MAX, best_monotonic = 0, best_realtime = 0;
  for (int i = 0; i < 3; ++i) {
    const int64_t before = MonotonicNs();
    const int64_t realtime = ClockNs(CLOCK_REALTIME);
    const int64_t after = MonotonicNs();
    if (after - before >= best_width) continue;
    best_width = after - before;
    best_monotonic = before + (after - before) / 2;
    best_realtime = realtime;
  }
  Pending clock;
  clock.Add(best_monotonic);
  Put(clock.bytes, best_monotonic);
  Put(clock.bytes, best_realtime);
  Write(BlockType::kClock, clock);
}

uint32_t RecordingWriter::String(std::string_view text) {
  const auto [at, added] = string_ids_.emplace(text, static_cast<uint32_t>(string_ids_.size()));
  if (added) {
    strings_.Add(MonotonicNs());
    Put(strings_.bytes, at->second);
    Put(strings_.bytes, static_cast<uint32_t>(text.size()));
    strings_.bytes.append(text);
  }
  return at->second;
}

uint32_t RecordingWriter::Stack(uint32_t caller, std::string_view function, std::string_view file,
                                int32_t line) {
  std::string key;
  Put(key, caller);
  Put(key, String(function));
  Put(key, String(file));
  Put(key, line);
  const auto [at, added] = stack_ids_.emplace(key, static_cast<uint32_t>(stack_ids_.size()));
  if (added) {
    stacks_.Add(MonotonicNs());
    Put(stacks_.bytes, at->second);
    stacks_.bytes.append(key);
  }
  return at->second;
}

void RecordingWriter::Sample(int64_t time, int64_t weight, uint64_t thread, uint32_t stack,
                             bool waiting) {
  samples_.Add(time);
  Put(samples_.bytes, time);
  Put(samples_.bytes, weight);
  Put(samples_.bytes, thread);
  Put(samples_.bytes, stack);
  Put(samples_.bytes, uint32_t{waiting ? 1u : 0u});
}

void RecordingWriter::Counter(int64_t time, std::string_view name, std::string_view series,
                              double value) {
  counters_.Add(time);
  Put(counters_.bytes, time);
  Put(counters_.bytes, String(name));
  Put(counters_.bytes, String(series));
  Put(counters_.bytes, value);
}

void RecordingWriter::End(int64_t time, int32_t exit_code, int32_t signal) {
  Flush();
  Pending end;
  end.Add(time);
  Put(end.bytes, time);
  Put(end.bytes, exit_code);
  Put(end.bytes, signal);
  Write(BlockType::kEnd, end);
}

// Strings before stacks before samples: what a row names is defined ahead of it.
void RecordingWriter::Flush() {
  Write(BlockType::kFacts, facts_);
  Write(BlockType::kStrings, strings_);
  Write(BlockType::kStacks, stacks_);
  Write(BlockType::kSamples, samples_);
  Write(BlockType::kCounters, counters_);
}

void RecordingWriter::Write(BlockType type, Pending& pending) {
  if (pending.rows == 0) return;
  std::string block(recording::kBlockMagic);
  Put(block, static_cast<uint8_t>(type));
  Put(block, uint8_t{0});
  Put(block, uint16_t{1});
  Put(block, static_cast<uint32_t>(pending.bytes.size()));
  Put(block, static_cast<uint32_t>(pending.bytes.size()));
  Put(block, pending.first);
  Put(block, pending.last);
  Put(block, pending.rows);
  const std::string_view covered = std::string_view(block).substr(recording::kBlockMagic.size());
  Put(block, Crc32(pending.bytes, Crc32(covered)));
  block += pending.bytes;
  pending = {};
  Append(block);
}

void RecordingWriter::Append(std::string_view bytes) {
  while (fd_ >= 0 && !bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error_ = std::strerror(errno);
      close(fd_);
      fd_ = -1;
    }
  }
}

}  // namespace stepscope
