// Times the parts of reading a trace by themselves, so that the whole report can be held against
// them.
//
//   parse_trace inflate|parse|build|open FILE [THREADS]
//
// inflate: bytes only. parse: inflate and parse into columns. build: a finished Trace. These are
// for Chrome JSON. open: a finished Trace of any format. Prints seconds, CPU seconds, decompressed
// bytes and events.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "read/chrome_json/chrome_json_reader.h"
#include "read/chrome_json/document.h"
#include "read/open.h"

namespace stepscope {
namespace {

struct Done {
  uint64_t bytes = 0;
  uint64_t events = 0;
};

Done Inflate(OpenedSource source) {
  Done done;
  std::vector<char> buffer(size_t{4} << 20);
  while (true) {
    const size_t got = source.bytes->Read(buffer).value_or(0);
    if (got == 0) return done;
    done.bytes += got;
  }
}

Done Parse(OpenedSource source, TaskPool& pool) {
  Done done;
  Diagnostics diagnostics;
  std::vector<chrome_json::ParsedChunk> chunks;
  chrome_json::InputWindow input(*source.bytes);
  chrome_json::ReadDocument(input, {}, pool, diagnostics, [&](chrome_json::ParsedChunk chunk) {
    done.events += chunk.block.event_count;
    chunks.push_back(std::move(chunk));
  });
  done.bytes = input.offset();
  return done;
}

Done Open(const std::string& path, TaskPool& pool) {
  const Result<Profile> profile = OpenProfile({path}, {}, pool);
  Done done;
  if (profile) done.events = profile->traces.front().events.in_file;
  return done;
}

Done Build(OpenedSource source, TaskPool& pool) {
  Diagnostics diagnostics;
  const Result<Trace> trace = chrome_json::ReadChromeJson(std::move(source), {}, pool, diagnostics);
  return {0, trace ? trace->events.in_file : 0};
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int Run(std::string_view what, const std::string& path, unsigned threads) {
  TaskPool pool(threads);
  Result<OpenedSource> source = OpenSource(path);
  if (!source) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), InEnglish(source.error().sentence).c_str());
    return 1;
  }
  const auto start = std::chrono::steady_clock::now();
  const Done done = what == "inflate" ? Inflate(std::move(*source))
                    : what == "parse" ? Parse(std::move(*source), pool)
                    : what == "open"  ? Open(path, pool)
                                      : Build(std::move(*source), pool);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%.4f %.4f %llu %llu\n", seconds.count(), CpuSeconds(),
              static_cast<unsigned long long>(done.bytes),
              static_cast<unsigned long long>(done.events));
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  stepscope::ManageMemory();
  if (argc < 3) {
    std::fprintf(stderr, "usage: parse_trace inflate|parse|build|open FILE [THREADS]\n");
    return 2;
  }
  const unsigned threads = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 0;
  return stepscope::Run(argv[1], argv[2], threads);
}
