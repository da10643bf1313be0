#include "base/task_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>

namespace stepscope {

unsigned UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

TaskPool::TaskPool(unsigned threads) : threads_(threads == 0 ? UsableCores() : threads) {
  // The thread that waits helps, so one worker fewer than threads.
  try {
    for (unsigned i = 1; i < threads_; ++i) workers_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {
    // The system gives no more threads; those that are there, or the one that waits, do the work.
  }
}

TaskPool::~TaskPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void TaskPool::Submit(std::function<void()> task) {
  if (threads_ == 1) {
    task();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void TaskPool::Wait() {
  std::unique_lock lock(mutex_);
  while (!queue_.empty() || running_ > 0) {
    if (!RunOne(lock)) done_.wait(lock, [this] { return !queue_.empty() || running_ == 0; });
  }
}

void TaskPool::ForEach(size_t count, const std::function<void(size_t)>& body) {
  if (threads_ == 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<size_t> next{0};
  std::mutex fault_mutex;
  std::exception_ptr fault;
  // What a body throws (memory that cannot be had) is thrown again here, once all have ended: they
  // use this frame.
  const auto take = [&] {
    try {
      for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
    } catch (...) {
      next = count;  // the others need not go on
      const std::lock_guard lock(fault_mutex);
      if (!fault) fault = std::current_exception();
    }
  };
  const size_t helpers = std::min<size_t>(threads_ - 1, count - 1);
  for (size_t i = 0; i < helpers; ++i) Submit(take);
  take();
  Wait();
  if (fault) std::rethrow_exception(fault);
}

bool TaskPool::RunOne(std::unique_lock<std::mutex>& lock) {
  if (queue_.empty()) return false;
  std::function<void()> task = std::move(queue_.front());
  queue_.pop_front();
  ++running_;
  lock.unlock();
  task();
  lock.lock();
  --running_;
  if (running_ == 0 && queue_.empty()) done_.notify_all();
  return true;
}

void TaskPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (RunOne(lock)) continue;
    if (stopping_) return;
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  }
}

}  // namespace stepscope
