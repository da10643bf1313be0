#include "diff/side_nodes.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "diff/kernel_family.h"
#include "diff/statistics.h"

namespace stepscope::diff {
namespace {

std::string_view KindName(AtomKind kind) {
  switch (kind) {
    case AtomKind::kOp:
      return "ops";
    case AtomKind::kRange:
      return "ranges";
    case AtomKind::kInput:
      return "input";
    case AtomKind::kCall:
      return "runtime calls";
    case AtomKind::kKernel:
      return "kernels";
  }
  return "";
}

// What people named, or a stage of the input: worth a line of its own however ops are grouped.
bool IsRange(const Atom& atom) {
  return atom.kind == AtomKind::kRange || atom.kind == AtomKind::kInput;
}

// The node an atom belongs to.
NodeKey KeyOf(const Atom& atom, By by, const Features& features) {
  NodeKey key;
  switch (by) {
    case By::kOp:
      key.kind = atom.kind;
      if (features.modules) key.module = atom.module;
      key.op = atom.op;
      if (features.shapes) key.shapes = atom.shapes;
      if (features.types) key.types = atom.types;
      if (features.passes) key.pass = atom.pass;
      if (atom.op.empty()) key.kernel = atom.kernel;
      break;
    case By::kModule:
      key.module = atom.module;
      break;
    case By::kKernel:
      key.kind = atom.kernel.empty() ? atom.kind : AtomKind::kKernel;
      key.kernel = atom.kernel;
      if (atom.kernel.empty()) key.op = atom.op;
      break;
    case By::kCategory:
      key.kind = atom.kernel.empty() ? atom.kind : AtomKind::kKernel;
      key.op = !atom.kernel.empty() ? std::string(NameOf(atom.category))
               : IsRange(atom)      ? atom.op
                                    : std::string(KindName(atom.kind));
      break;
    case By::kLine:
      key.line = atom.line;
      break;
  }
  return key;
}

std::string TextOf(const NodeKey& key) {
  std::string text;
  for (const std::string* part :
       {&key.module, &key.op, &key.shapes, &key.types, &key.pass, &key.line, &key.kernel}) {
    text += *part;
    text += '\x1f';
  }
  text += static_cast<char>('0' + static_cast<int>(key.kind));
  return text;
}

void AddKernel(const Atom& atom, SideNode& node) {
  if (atom.kernel.empty()) return;
  auto at = std::find_if(node.kernels.begin(), node.kernels.end(),
                         [&](const SideKernel& kernel) { return kernel.name == atom.kernel; });
  if (at == node.kernels.end()) {
    at = node.kernels.insert(node.kernels.end(), {atom.kernel, atom.category, 0, 0});
  }
  for (const StepValue& cell : atom.cells) {
    at->calls += cell.calls;
    at->device += cell.device;
  }
}

std::string SignatureOf(const SideNode& node) {
  std::set<std::string> families;
  for (const SideKernel& kernel : node.kernels) families.insert(FamilyName(kernel.name));
  std::string text;
  for (const std::string& family : families) text += family + ";";
  return text;
}

}  // namespace

Features FeaturesOf(std::span<const Run> runs) {
  Features has{false, false, false, false, false};
  for (const Run& run : runs) {
    for (const Atom& atom : run.atoms) {
      has.modules |= !atom.module.empty();
      has.shapes |= !atom.shapes.empty();
      has.types |= !atom.types.empty();
      has.passes |= !atom.pass.empty();
      has.lines |= !atom.line.empty();
    }
  }
  return has;
}

Features Common(const Features& a, const Features& b) {
  return {a.modules && b.modules, a.shapes && b.shapes, a.types && b.types, a.passes && b.passes,
          a.lines && b.lines};
}

int64_t SideNode::total_device() const {
  return std::accumulate(device.begin(), device.end(), int64_t{0});
}
int64_t SideNode::total_host() const {
  return std::accumulate(host.begin(), host.end(), int64_t{0});
}

std::vector<int64_t> Side::Sample(const std::vector<int64_t>& values, Unit unit) const {
  if (unit != Unit::kRun) return values;
  std::vector<int64_t> medians;
  for (size_t run = 0; run + 1 < first_step.size(); ++run) {
    const auto from = values.begin() + static_cast<ptrdiff_t>(first_step[run]);
    const auto to = values.begin() + static_cast<ptrdiff_t>(first_step[run + 1]);
    if (from != to) medians.push_back(MedianOf({from, to}));
  }
  return medians;
}

std::vector<int64_t> Side::Sample(const SideNode& node, bool on_device, Unit unit) const {
  const std::vector<int64_t>& values = on_device ? node.device : node.host;
  if (unit != Unit::kCall) return Sample(values, unit);
  std::vector<int64_t> per_call;
  for (size_t i = 0; i < values.size(); ++i) {
    if (node.calls[i] > 0) per_call.push_back(values[i] / node.calls[i]);
  }
  return per_call;
}

Side SideOf(std::span<const Run> runs, By by, const Features& features) {
  Side side;
  side.first_step.push_back(0);
  for (const Run& run : runs) {
    side.first_step.push_back(side.first_step.back() + std::max<size_t>(run.steps.size(), 1));
  }
  const size_t steps = side.first_step.back();
  const bool has_device = std::any_of(runs.begin(), runs.end(), [](const Run& run) {
    return std::any_of(run.atoms.begin(), run.atoms.end(),
                       [](const Atom& atom) { return !atom.kernel.empty(); });
  });
  std::unordered_map<std::string, size_t> index;
  for (size_t r = 0; r < runs.size(); ++r) {
    for (const Atom& atom : runs[r].atoms) {
      // Host time of ops says little once ops are not told apart.
      const bool of_device = by == By::kKernel || (by == By::kCategory && has_device);
      if (of_device && atom.kernel.empty() && !IsRange(atom)) continue;
      NodeKey key = KeyOf(atom, by, features);
      const auto [at, is_new] = index.emplace(TextOf(key), side.nodes.size());
      if (is_new) {
        SideNode& made = side.nodes.emplace_back();
        made.key = std::move(key);
        made.order = atom.order;
        made.device.resize(steps);
        made.host.resize(steps);
        made.calls.resize(steps);
      }
      SideNode& node = side.nodes[at->second];
      // A kernel's calls count only where the node has no calls of its own.
      const bool counts = atom.kernel.empty() || by == By::kKernel || by == By::kCategory ||
                          atom.kind == AtomKind::kKernel;
      for (const StepValue& cell : atom.cells) {
        const size_t step = side.first_step[r] + cell.step;
        node.device[step] += cell.device;
        node.host[step] += cell.host;
        if (counts) node.calls[step] += cell.calls;
      }
      AddKernel(atom, node);
      if (node.line.empty()) node.line = atom.line;
      if (r == 0 && (node.events.empty() || !atom.kernel.empty())) node.events = atom.events;
    }
  }
  for (SideNode& node : side.nodes) {
    std::sort(node.kernels.begin(), node.kernels.end(),
              [](const SideKernel& a, const SideKernel& b) {
                return a.device != b.device ? a.device > b.device : a.name < b.name;
              });
    node.signature = SignatureOf(node);
  }
  return side;
}

}  // namespace stepscope::diff
