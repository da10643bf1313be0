#pragma once

#include <span>

namespace stepscope {

struct RuleWords;

// One table per group of rules, in the order of the catalogue.
std::span<const RuleWords> TrustWords();
std::span<const RuleWords> InputWords();
std::span<const RuleWords> HostWords();
std::span<const RuleWords> KernelWords();
std::span<const RuleWords> CompileWords();
std::span<const RuleWords> CpuWords();
std::span<const RuleWords> MemoryWords();
std::span<const RuleWords> CommunicationWords();
std::span<const RuleWords> OtherWords();
std::span<const RuleWords> LintWords();

}  // namespace stepscope
