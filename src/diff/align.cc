#include "diff/align.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "diff/kernel_family.h"
#include "trace/names.h"

namespace stepscope::diff {
namespace {

using KeyText = std::function<std::string(const SideNode&)>;  // empty: does not take part

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
    text += '\x1f';
  }
  return text;
}

std::string Kind(const NodeKey& key) { return std::to_string(static_cast<int>(key.kind)); }

// What identifies a node besides its module: the op, or the kernel whose op is unknown.
const std::string& NameIn(const NodeKey& key) { return key.op.empty() ? key.kernel : key.op; }

class Aligner {
 public:
  Aligner(const Side& base, const Side& now)
      : base_(base), now_(now), of_base_(base.nodes.size()), of_now_(now.nodes.size()) {}

  // Pairs what is left and has equal keys, in order of first occurrence; those whose kernels are of
  // the same families first.
  void By(Level level, State state, const KeyText& key) {
    ByOnce(level, state, [&](const SideNode& node) {
      const std::string text = key(node);
      return text.empty() ? text : text + node.signature;
    });
    ByOnce(level, state, key);
  }

  std::vector<Aligned> Take() const {
    std::vector<Aligned> all;
    for (const size_t i : InOrder(now_)) {
      const Found& found = of_now_[i];
      if (found.done) {
        all.push_back({&base_.nodes[found.other], &now_.nodes[i], found.level, found.state});
      } else {
        all.push_back({nullptr, &now_.nodes[i], Level::kNone, State::kAdded});
      }
    }
    for (const size_t i : InOrder(base_)) {
      if (!of_base_[i].done)
        all.push_back({&base_.nodes[i], nullptr, Level::kNone, State::kRemoved});
    }
    return all;
  }

 private:
  struct Found {
    bool done = false;
    size_t other = 0;
    Level level = Level::kNone;
    State state = State::kMatched;
  };

  static std::vector<size_t> InOrder(const Side& side) {
    std::vector<size_t> order(side.nodes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return side.nodes[a].order < side.nodes[b].order; });
    return order;
  }

  void ByOnce(Level level, State state, const KeyText& key) {
    std::unordered_map<std::string, std::vector<size_t>> left;
    for (const size_t i : InOrder(base_)) {
      if (of_base_[i].done) continue;
      if (std::string text = key(base_.nodes[i]); !text.empty()) left[std::move(text)].push_back(i);
    }
    std::unordered_map<std::string, size_t> taken;
    for (const size_t i : InOrder(now_)) {
      if (of_now_[i].done) continue;
      const std::string text = key(now_.nodes[i]);
      if (text.empty()) continue;
      const auto at = left.find(text);
      if (at == left.end()) continue;
      size_t& next = taken[text];
      if (next == at->second.size()) continue;
      const size_t base = at->second[next++];
      of_now_[i] = {true, base, level, state};
      of_base_[base] = {true, i, level, state};
    }
  }

  const Side& base_;
  const Side& now_;
  std::vector<Found> of_base_, of_now_;
};

int64_t CallsOf(const SideNode& node) {
  int64_t most = 0;
  for (const int64_t calls : node.calls) most = std::max(most, calls);
  return most;
}

}  // namespace

std::vector<Aligned> Align(const Side& base, const Side& now) {
  Aligner aligner(base, now);
  aligner.By(Level::kModuleOpShape, State::kMatched, [](const SideNode& node) {
    const NodeKey& k = node.key;
    return Joined({Kind(k), k.module, k.op, k.shapes, k.types, k.pass, k.line, k.kernel});
  });
  aligner.By(Level::kModuleOpShape, State::kMatched, [](const SideNode& node) {
    const NodeKey& k = node.key;
    return Joined({k.module, k.op, k.shapes, k.line, k.kernel, k.pass});
  });
  // The same op under another module.
  aligner.By(Level::kOpShape, State::kMoved, [](const SideNode& node) {
    const NodeKey& k = node.key;
    const bool counts = !k.op.empty() && !k.shapes.empty();
    return counts ? Joined({k.op, k.shapes, k.types, k.pass}) : std::string();
  });
  aligner.By(Level::kModuleOp, State::kMatched, [](const SideNode& node) {
    const NodeKey& k = node.key;
    return k.op.empty() ? std::string() : Joined({k.module, k.op, k.pass});
  });
  aligner.By(Level::kOpShape, State::kMoved, [](const SideNode& node) {
    const NodeKey& k = node.key;
    const bool counts = !k.op.empty() && !k.module.empty();
    return counts ? Joined({k.op, k.pass}) : std::string();
  });
  // Kernels and instructions that compilers number and templates spell out.
  aligner.By(Level::kBase, State::kMatched, [](const SideNode& node) {
    const NodeKey& k = node.key;
    const bool counts = k.kind == AtomKind::kKernel;
    return counts ? Joined({k.module, BaseName(NameIn(k)), k.pass}) : std::string();
  });
  aligner.By(Level::kFamily, State::kMatched, [](const SideNode& node) {
    const NodeKey& k = node.key;
    if (k.kind == AtomKind::kKernel) return Joined({FamilyName(NameIn(k)), k.pass});
    // "Optimizer.step#AdamW.step" stays, "iteration 12" is one range with "iteration 13".
    return k.kind == AtomKind::kRange ? Joined({"range", FamilyName(k.op)}) : std::string();
  });
  // Another name for the same work: equal shapes, kernels and number of calls in one module.
  aligner.By(Level::kKernels, State::kRenamed, [](const SideNode& node) {
    const NodeKey& k = node.key;
    const bool counts = k.kind == AtomKind::kOp && !node.signature.empty() && !k.shapes.empty();
    if (!counts) return std::string();
    return Joined({k.module, k.shapes, k.pass, std::to_string(CallsOf(node)), node.signature});
  });
  return aligner.Take();
}

std::vector<KernelPair> AlignKernels(const SideNode* base, const SideNode* now, size_t base_steps,
                                     size_t now_steps) {
  static const std::vector<SideKernel> kNone;
  const std::vector<SideKernel>& from = base == nullptr ? kNone : base->kernels;
  const std::vector<SideKernel>& to = now == nullptr ? kNone : now->kernels;
  const auto per_step = [](int64_t total, size_t steps) {
    return steps == 0 ? 0 : total / static_cast<int64_t>(steps);
  };
  std::vector<bool> from_done(from.size()), to_done(to.size());
  std::vector<KernelPair> pairs;
  using Form = std::string (*)(const SideKernel&);
  constexpr std::array<std::pair<std::string_view, Form>, 4> kForms = {
      std::pair<std::string_view, Form>{"exact", [](const SideKernel& k) { return k.name; }},
      {"base", [](const SideKernel& k) { return BaseName(k.name); }},
      {"family", [](const SideKernel& k) { return FamilyName(k.name); }},
      {"category", [](const SideKernel& k) {
         return k.category == KernelCategory::kOther ? std::string()
                                                     : std::string(NameOf(k.category));
       }}};
  const auto add = [&](const SideKernel* a, const SideKernel* b, std::string_view by) {
    KernelPair pair;
    pair.by = by;
    if (a != nullptr) {
      pair.base = a->name;
      pair.base_calls = per_step(a->calls, base_steps);
      pair.base_ns = per_step(a->device, base_steps);
    }
    if (b != nullptr) {
      pair.now = b->name;
      pair.now_calls = per_step(b->calls, now_steps);
      pair.now_ns = per_step(b->device, now_steps);
    }
    pairs.push_back(std::move(pair));
  };
  for (const auto& [by, form] : kForms) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (from_done[i]) continue;
      const std::string wanted = form(from[i]);
      for (size_t j = 0; j < to.size() && !wanted.empty(); ++j) {
        if (to_done[j] || form(to[j]) != wanted) continue;
        from_done[i] = to_done[j] = true;
        add(&from[i], &to[j], by);
        break;
      }
    }
  }
  for (size_t i = 0; i < from.size(); ++i) {
    if (!from_done[i]) add(&from[i], nullptr, "none");
  }
  for (size_t j = 0; j < to.size(); ++j) {
    if (!to_done[j]) add(nullptr, &to[j], "none");
  }
  std::sort(pairs.begin(), pairs.end(), [](const KernelPair& a, const KernelPair& b) {
    const int64_t left = std::max(a.base_ns, a.now_ns), right = std::max(b.base_ns, b.now_ns);
    if (left != right) return left > right;
    return std::tie(a.base, a.now) < std::tie(b.base, b.now);
  });
  return pairs;
}

}  // namespace stepscope::diff
