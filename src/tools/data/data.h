#pragma once

#include <span>

namespace stepscope {

// The jobs below `stepscope data`; each gets the arguments after its name and returns the exit
// code.
int RunDataPack(std::span<char*> arguments);
int RunDataVerify(std::span<char*> arguments);
int RunDataCat(std::span<char*> arguments);
int RunDataSplit(std::span<char*> arguments);
int RunDataUnpack(std::span<char*> arguments);

}  // namespace stepscope
