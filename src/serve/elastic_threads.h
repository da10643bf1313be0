#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace stepscope {

// One thread per running task, at most so many; threads wait a little for the next task.
class ElasticThreads {
 public:
  explicit ElasticThreads(size_t most) : most_(most) {}
  ~ElasticThreads() { Join(); }
  ElasticThreads(const ElasticThreads&) = delete;
  ElasticThreads& operator=(const ElasticThreads&) = delete;

  void Run(std::function<void()> task);
  // Waits for all tasks that were given.
  void Join();

 private:
  void Work();

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_, ended_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;
  size_t running_ = 0;
  bool stopping_ = false;
};

}  // namespace stepscope
