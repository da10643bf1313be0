#pragma once

#include <mutex>
#include <optional>

namespace stepscope {

// A part that is made when it is first asked for. Who asks meanwhile waits.
template <typename T>
class Once {
 public:
  // `make` gives an optional<T>. Without a value nothing is kept: the next one makes it, and null
  // is returned.
  template <typename Make>
  const T* Get(Make make) {
    const std::lock_guard lock(mutex_);
    if (!value_) {
      if (std::optional<T> made = make()) value_.emplace(std::move(*made));
    }
    return value_ ? &*value_ : nullptr;
  }

 private:
  std::mutex mutex_;
  std::optional<T> value_;
};

}  // namespace stepscope
