#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace stepscope {

// How many cores this process may use; 1 at least.
unsigned UsableCores();

// A fixed number of threads that run tasks in the order they were given. With one thread nothing is
// started and tasks run where they are submitted, so that single-threaded runs are easy to follow.
// Tasks must not throw.
class TaskPool {
 public:
  // threads = 0: one per core this process may use.
  explicit TaskPool(unsigned threads = 0);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  unsigned threads() const { return threads_; }
  void Submit(std::function<void()> task);
  // Waits until every task submitted so far has ended; the caller helps meanwhile.
  void Wait();
  // Runs body(i) for all i in [0, count), in parallel, and waits for them. Call from outside of
  // tasks only.
  void ForEach(size_t count, const std::function<void(size_t)>& body);

 private:
  void Work();
  bool RunOne(std::unique_lock<std::mutex>& lock);

  const unsigned threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::deque<std::function<void()>> queue_;
  size_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace stepscope
