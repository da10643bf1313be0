#pragma once

namespace stepscope_inject {

// The file of this process, made by whichever entry comes first: CUDA's or NVTX's.
bool OpenFileOnce(const char* directory);

}  // namespace stepscope_inject
