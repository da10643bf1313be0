#pragma once

#include <string_view>
#include <vector>

#include "tools/tfprof/options.h"
#include "tools/tfprof/regexes.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {

// Which nodes count and which are shown; the regexes compiled once for a whole view.
class Filter {
 public:
  Filter(const Model& model, const Options& options);

  const Options& options() const { return options_; }
  // Of the wanted types.
  bool Accounts(const Node& node) const;
  // The members of a group whose types match, once per matching regex: tfprof counts a node that
  // matches two regexes twice. `everything` when the list is just ".*".
  std::vector<int32_t> Pick(const std::vector<int32_t>& nodes) const;
  bool accounts_everything() const { return account_.everything(); }

  bool starts_anywhere() const { return start_.everything(); }
  bool no_start_regex() const { return start_.size() == 0; }
  bool Starts(std::string_view name) const { return start_.AnyMatches(name); }
  bool Trims(std::string_view name) const { return trim_.AnyMatches(name); }
  // Scope and graph compare parameters, float operations and runs of the node itself, the others
  // totals.
  bool ShowsTreeNode(const ViewNode& node, int64_t depth) const;
  bool ShowsGroup(const ViewNode& node, int64_t depth) const;

 private:
  bool ShowsTotals(const Stats& total, int64_t depth) const;
  bool ShowsName(std::string_view name) const;

  const Model& model_;
  const Options& options_;
  Regexes account_;
  Regexes start_;
  Regexes trim_;
  Regexes show_;
  Regexes hide_;
  // By regex, then by type (StringId): whether it matches. Types are few, nodes many.
  std::vector<std::vector<bool>> type_matches_;
};

// By -order_by; ties stay in the order they came in.
void SortNodes(std::vector<uint32_t>& rows, const View& view, const Options& options);

}  // namespace stepscope::tfprof
