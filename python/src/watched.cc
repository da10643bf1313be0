#include "watched.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace stepscope::python {
namespace py = pybind11;
namespace {

constexpr std::chrono::milliseconds kEvery{100};

// What the working thread leaves for the watching one.
struct Shared {
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  std::exception_ptr fault;
  std::atomic<double> share{-1};
  std::atomic<const char*> what{""};

  bool WaitBriefly() {
    std::unique_lock lock(mutex);
    return done_changed.wait_for(lock, kEvery, [this] { return done; });
  }
};

// Python's side of one round: signals, then progress. Throws what they raise.
void LookAround(const py::object& progress, const Shared& shared) {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  const double share = shared.share.load();
  if (!progress.is_none() && share >= 0) progress(share, shared.what.load());
}

}  // namespace

void RunWatched(const py::object& progress, const std::function<void(const Watch&)>& work) {
  Shared shared;
  std::exception_ptr raised;
  {
    const py::gil_scoped_release released;
    std::jthread worker([&](const std::stop_token& stop) {
      try {
        work({stop, [&](double share, const char* what) {
                shared.what = what;
                shared.share = share;
              }});
      } catch (...) {
        shared.fault = std::current_exception();
      }
      const std::scoped_lock lock(shared.mutex);
      shared.done = true;
      shared.done_changed.notify_all();
    });
    while (!shared.WaitBriefly()) {
      if (raised) continue;
      try {
        LookAround(progress, shared);
      } catch (...) {
        raised = std::current_exception();
        worker.request_stop();
      }
    }
  }
  if (raised) std::rethrow_exception(raised);
  if (shared.fault) std::rethrow_exception(shared.fault);
}

}  // namespace stepscope::python
