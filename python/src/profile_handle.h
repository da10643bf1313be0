#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <utility>

#include "opened_profile.h"

namespace stepscope::python {

// What Python holds: an opened profile until it is closed. Work that runs meanwhile and tables that
// were taken keep their own reference, so that closing is never a crash.
class ProfileHandle {
 public:
  explicit ProfileHandle(std::shared_ptr<OpenedProfile> opened) : opened_(std::move(opened)) {}

  // ValueError when it is closed. Needs the GIL.
  std::shared_ptr<OpenedProfile> Get() const;
  bool closed() const;
  void Close();

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<OpenedProfile> opened_;
};

}  // namespace stepscope::python
