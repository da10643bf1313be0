#pragma once

#include <vector>

namespace stepscope {

// Gives a vector's memory back. `v = {}` does not: it assigns no elements and keeps the capacity.
template <typename T>
void Release(std::vector<T>& vector) {
  std::vector<T>().swap(vector);
}

}  // namespace stepscope
