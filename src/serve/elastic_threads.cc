#include "serve/elastic_threads.h"

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace stepscope {

void ElasticThreads::Run(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (idle_ >= tasks_.size() || running_ >= most_) {
    wake_.notify_one();
    return;
  }
  try {
    std::thread([this] { Work(); }).detach();
    ++running_;
  } catch (const std::system_error&) {
    // The system has no thread to give: the task waits for one that gets free, or for the next try.
  }
}

void ElasticThreads::Join() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  ended_.wait(lock, [this] { return running_ == 0; });
}

void ElasticThreads::Work() {
  constexpr auto kWaitForMore = std::chrono::seconds(5);
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait_for(lock, kWaitForMore, [this] { return stopping_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) break;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
  --running_;
  // Under the lock: whoever waits may destroy this as soon as it has it.
  if (running_ == 0) ended_.notify_all();
}

}  // namespace stepscope
