#include "profile_handle.h"

namespace stepscope::python {
namespace py = pybind11;

std::shared_ptr<OpenedProfile> ProfileHandle::Get() const {
  const std::scoped_lock lock(mutex_);
  if (opened_) return opened_;
  throw py::value_error("the profile is closed");
}

bool ProfileHandle::closed() const {
  const std::scoped_lock lock(mutex_);
  return opened_ == nullptr;
}

void ProfileHandle::Close() {
  std::shared_ptr<OpenedProfile> last;
  {
    const std::scoped_lock lock(mutex_);
    last.swap(opened_);
  }
  const py::gil_scoped_release released;
  last.reset();
}

}  // namespace stepscope::python
