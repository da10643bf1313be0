#include "read/chrome_json/chunk_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "read/chrome_json/scan.h"

namespace stepscope::chrome_json {
namespace {

// Blocks are kept until the file is read, so columns that grew by doubling give their unused half
// to the next chunk.
void Shrink(EventBlock& block) {
  const auto shrink = [](auto&... columns) { (columns.shrink_to_fit(), ...); };
  shrink(block.start, block.duration, block.name, block.track, block.event, block.args, block.kind,
         block.flags, block.op_args, block.call_args, block.device_args, block.collectives,
         block.frame_args, block.halves, block.flows, block.instants, block.counters,
         block.allocations);
}

}  // namespace

void Chunk::Reserve(size_t wanted) {
  if (wanted <= room) return;
  auto bigger = std::make_unique_for_overwrite<char[]>(wanted + kPadding);
  if (size > 0) std::memcpy(bigger.get(), bytes.get(), size);
  bytes = std::move(bigger);
  room = wanted;
}

void Chunk::Append(std::string_view more) {
  Reserve(size + more.size());
  if (!more.empty()) std::memcpy(bytes.get() + size, more.data(), more.size());
  size += more.size();
}

ChunkQueue::ChunkQueue(TaskPool& pool, InstructionSet instructions)
    : pool_(pool),
      instructions_(instructions),
      capacity_(pool.threads() == 1 ? 1 : pool.threads() + 2) {}

ChunkQueue::~ChunkQueue() {
  // Tasks that have not begun find their job taken; those under way must end before we go.
  while (!jobs_.empty()) (void)PopDone();
}

void ChunkQueue::Push(std::unique_ptr<Chunk> chunk) {
  std::memset(chunk->data() + chunk->size, '"', kPadding);
  auto job = std::make_shared<Job>();
  job->chunk = std::move(chunk);
  jobs_.push_back(job);
  // With one thread the chunk is parsed when it is popped.
  if (pool_.threads() > 1) pool_.Submit([this, job] { TryParse(*job); });
}

bool ChunkQueue::TryParse(Job& job) {
  if (job.taken.exchange(true)) return false;
  Chunk& chunk = *job.chunk;
  try {
    chunk.parsed.block.offset = chunk.offset;
    ParseEvents(chunk.text(), chunk.offset, instructions_, chunk.parsed);
    Shrink(chunk.parsed.block);
  } catch (...) {
    job.fault = std::current_exception();  // memory: told to whoever pops the chunk
  }
  const std::lock_guard lock(mutex_);  // held while notifying: the queue may go once done is seen
  job.done = true;
  parsed_.notify_one();
  return true;
}

std::unique_ptr<Chunk> ChunkQueue::PopParsed() {
  if (jobs_.empty()) return nullptr;
  const std::shared_ptr<Job> job = PopDone();
  if (job->fault) std::rethrow_exception(job->fault);
  return std::move(job->chunk);
}

std::shared_ptr<ChunkQueue::Job> ChunkQueue::PopDone() {
  std::shared_ptr<Job> oldest = jobs_.front();
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (oldest->done) break;
    }
    const bool helped =
        std::any_of(jobs_.begin(), jobs_.end(), [this](const auto& job) { return TryParse(*job); });
    if (helped) continue;
    std::unique_lock lock(mutex_);
    parsed_.wait(lock, [&] { return oldest->done; });
    break;
  }
  jobs_.pop_front();
  return oldest;
}

std::unique_ptr<Chunk> ChunkQueue::NewChunk() {
  if (spare_.empty()) return std::make_unique<Chunk>();
  std::unique_ptr<Chunk> chunk = std::move(spare_.back());
  spare_.pop_back();
  return chunk;
}

void ChunkQueue::Recycle(std::unique_ptr<Chunk> chunk) {
  chunk->size = 0;
  chunk->parsed = ParsedChunk();
  spare_.push_back(std::move(chunk));
}

}  // namespace stepscope::chrome_json
