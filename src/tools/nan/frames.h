#pragma once

#include <string_view>

namespace stepscope {

// A stack frame of a library rather than of the user's own program, judged by its path.
inline bool IsLibraryFrame(std::string_view file) {
  for (const std::string_view part :
       {"/site-packages/", "/dist-packages/", "site-packages/tensorflow/", "packages/tensorflow/",
        "tensorflow/python/", "eager/polymorphic_function/", "/keras/src/", "/lib/python3",
        "<frozen ", "<__array_function__"}) {
    if (file.contains(part)) return true;
  }
  return false;
}

}  // namespace stepscope
