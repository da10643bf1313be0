#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "io/byte_source.h"

namespace stepscope::python {

// What long work gets: whether to stop, and whom to tell how far it has come.
struct Watch {
  std::stop_token stop;
  Progress progress;
};

// Runs the work on a thread of its own without the GIL, while this one looks for signals (Ctrl-C)
// and calls progress(share, what) ten times a second (None: nobody is told). A signal handler or a
// callback that raises asks the work to stop, waits for it and raises here. Needs the GIL.
void RunWatched(const pybind11::object& progress, const std::function<void(const Watch&)>& work);

template <typename Work>
auto Watched(const pybind11::object& progress, Work work) {
  std::optional<decltype(work(std::declval<const Watch&>()))> value;
  RunWatched(progress, [&](const Watch& watch) { value.emplace(work(watch)); });
  return std::move(*value);
}

}  // namespace stepscope::python
