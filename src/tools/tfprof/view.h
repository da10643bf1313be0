#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tfprof/model.h"
#include "tools/tfprof/options.h"

namespace stepscope::tfprof {

enum class ViewKind : uint8_t { kScope, kGraph, kCode, kOp };

// One row of a view, or a node that others hang from.
struct ViewNode {
  std::string_view name;
  int32_t node = kNoNode;  // scope and graph: the model's node, kNoNode for a synthetic parent
  bool accounted = false;  // of the wanted types: its own numbers are shown
  uint32_t indent = 0;     // shown ancestors
  Stats self;
  Stats total;
  std::vector<uint32_t> children;        // all, in the view's own order
  std::vector<uint32_t> shown_children;  // after filters, sorted
  // op and code: the nodes behind it whose types match, by name. A node that matches two regexes
  // counts twice in `self`, once here.
  std::vector<int32_t> members;
  std::vector<StringId> devices;  // of the members, by text
  std::vector<StringId> types;
  // code: the Python frame, and whether it stands for gradients of what it created.
  const Frame* frame = nullptr;
  bool gradient = false;
};

// What one command shows. Rows hang from `root` by shown_children; in op view they are a plain
// list: root's shown_children in order. Views into the model.
struct View {
  ViewKind kind = ViewKind::kScope;
  std::vector<ViewNode> nodes;
  uint32_t root = 0;
  bool root_shown = true;            // false: filters hid even the root (code view only)
  std::vector<std::string> notes;    // what tfprof says on standard error
  std::vector<std::string> storage;  // names made up for the view

  const ViewNode& Root() const { return nodes[root]; }
};

// Two blanks a level. A chain of a graph may be 100,000 levels deep, and every line would be as
// wide: from some level on the number of further levels stands there instead.
std::string Indentation(uint32_t levels);

View ScopeView(const Model& model, const Options& options);
View GraphView(const Model& model, const Options& options);
View CodeView(const Model& model, const Options& options);
View OpView(const Model& model, const Options& options);

}  // namespace stepscope::tfprof
