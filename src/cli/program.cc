#include "cli/program.h"

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

#include "cli/verb.h"

namespace stepscope {
namespace {

constexpr std::array kVerbs{
    Verb{"report",
         "why is my step slow: where each step goes, why the device idles, which ops matter",
         RunReport},
};

void PrintHelp() {
  fmt::print("stepscope {}: tells why a training or inference step is slow\n\n", STEPSCOPE_VERSION);
  for (const Verb& verb : kVerbs) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
}

}  // namespace

int RunProgram(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<size_t>(argc));
  if (arguments.size() < 2 || std::string_view(arguments[1]) == "--help") {
    PrintHelp();
    return arguments.size() < 2 ? 2 : 0;
  }
  if (std::string_view(arguments[1]) == "--version") {
    fmt::print("stepscope {}\n", STEPSCOPE_VERSION);
    return 0;
  }
  for (const Verb& verb : kVerbs) {
    if (verb.name == arguments[1]) return verb.run(arguments.subspan(2));
  }
  fmt::print(stderr, "stepscope: no verb '{}'; see stepscope --help\n", arguments[1]);
  return 2;
}

}  // namespace stepscope
