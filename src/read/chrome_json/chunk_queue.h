#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/task_pool.h"
#include "read/chrome_json/event_parser.h"
#include "read/chrome_json/parsed_chunk.h"

namespace stepscope::chrome_json {

// A piece of the file's text with room after it for the parser's padding, and the result of parsing
// it.
struct Chunk {
  std::unique_ptr<char[]> bytes;
  size_t room = 0;
  size_t size = 0;
  uint64_t offset = 0;  // in the file
  ParsedChunk parsed;

  char* data() { return bytes.get(); }
  std::span<const char> text() const { return {bytes.get(), size}; }
  // Room for at least `wanted` bytes; keeps what is there.
  void Reserve(size_t wanted);
  void Append(std::string_view more);
};

// Parses chunks in the background and gives them back in the order they came. A bounded number is
// under way; the thread that pops parses chunks itself while it waits. One thread pushes and pops.
class ChunkQueue {
 public:
  ChunkQueue(TaskPool& pool, InstructionSet instructions);
  ~ChunkQueue();
  ChunkQueue(const ChunkQueue&) = delete;
  ChunkQueue& operator=(const ChunkQueue&) = delete;

  bool Full() const { return jobs_.size() >= capacity_; }
  bool Empty() const { return jobs_.empty(); }
  void Push(std::unique_ptr<Chunk> chunk);
  // The oldest chunk, parsed; nullptr when there is none.
  std::unique_ptr<Chunk> PopParsed();

  // Chunks that are used again keep their memory.
  std::unique_ptr<Chunk> NewChunk();
  void Recycle(std::unique_ptr<Chunk> chunk);

 private:
  struct Job {
    std::unique_ptr<Chunk> chunk;
    std::atomic<bool> taken = false;
    bool done = false;         // guarded by mutex_
    std::exception_ptr fault;  // what parsing threw; written before done
  };

  // Parses the job's chunk unless another thread has taken it.
  bool TryParse(Job& job);
  // Takes the oldest job off when it is done.
  std::shared_ptr<Job> PopDone();

  TaskPool& pool_;
  const InstructionSet instructions_;
  const size_t capacity_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::vector<std::unique_ptr<Chunk>> spare_;
  std::mutex mutex_;
  std::condition_variable parsed_;
};

}  // namespace stepscope::chrome_json
