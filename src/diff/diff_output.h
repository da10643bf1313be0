#pragma once

#include <string>

#include "diff/diff.h"
#include "diff/verdict.h"
#include "present/style.h"

// One comparison, many readers.
namespace stepscope::diff {

struct TextOptions {
  Style style;
  size_t top = 12;  // nodes
};
std::string DiffText(const Diff& diff, const Gate& gate, const TextOptions& options);

// stepscope.diff/1: docs/diff.md.
void WriteDiffJson(const Diff& diff, const Gate& gate, Language language, std::string& out);

// For a comment on a pull request: under 60,000 characters; `key` tells the comments of several
// comparisons apart.
std::string DiffMarkdown(const Diff& diff, const Gate& gate, const std::string& key,
                         Language language);
// One test case per metric and node.
std::string DiffJunit(const Diff& diff, Language language);
// Regressions that have a line of source.
std::string DiffSarif(const Diff& diff, Language language);
// Workflow commands of GitHub Actions: annotations on the change.
std::string DiffGithub(const Diff& diff, const Gate& gate, Language language);

}  // namespace stepscope::diff
