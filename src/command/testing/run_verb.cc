#include "command/testing/run_verb.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "command/damage.h"
#include "io/byte_source.h"
#include "io/input_damage.h"

namespace stepscope {

Ran RunVerb(int (*verb)(std::span<char*>), std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  RememberDamage();
  ran.status = EndWithDamage("verb", verb(arguments));
  std::fflush(stdout);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

std::string Content(const std::string& path) {
  const auto bytes = ReadWhole(path);
  return bytes ? std::string(bytes->bytes().begin(), bytes->bytes().end()) : "<cannot read>";
}

}  // namespace stepscope
