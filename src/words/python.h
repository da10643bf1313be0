#pragma once

#include <array>

#include "words/text.h"

// What only the Python package says.
namespace stepscope {

inline constexpr std::array kPythonTexts = std::to_array<Text>({
    {"python.no-language", "there is no language '{name}'; lang is \"en\" or \"zh\"",
     "没有语言“{name}”；lang 可取 \"en\" 或 \"zh\""},
    {"python.by", "by is op, module, kernel, category or line, not {by}",
     "by 可取 op、module、kernel、category 或 line，不能是 {by}"},
});

}  // namespace stepscope
