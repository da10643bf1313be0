#include "analyze/explore/flame.h"

#include <algorithm>
#include <unordered_map>

namespace stepscope {
namespace {

// The tree while it grows: children found by (parent, name).
class Growing {
 public:
  Growing() {
    Name("");
    nodes_.push_back({});
  }

  uint32_t Child(uint32_t parent, uint32_t name, Kind kind) {
    const uint64_t key = (uint64_t{parent} << 32) | name;
    const auto [place, fresh] = children_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (fresh) nodes_.push_back({name, parent, kind, {}, 0});
    return place->second;
  }
  uint32_t Name(std::string_view text) {
    const auto [place, fresh] =
        known_.try_emplace(std::string(text), static_cast<uint32_t>(names_.size()));
    if (fresh) names_.emplace_back(text);
    return place->second;
  }
  FlameNode& operator[](uint32_t node) { return nodes_[node]; }

  FlameTree Finish(size_t most) && {
    // A node comes after its parent, so one pass from the back adds everything up.
    for (size_t i = nodes_.size() - 1; i > 0; --i)
      nodes_[nodes_[i].parent].value += nodes_[i].value;
    FlameTree tree;
    std::vector<DurationNs> values;
    for (const FlameNode& node : nodes_) values.push_back(node.value);
    DurationNs least{1};
    if (values.size() > most) {
      const auto nth = values.begin() + static_cast<ptrdiff_t>(most);
      std::ranges::nth_element(values, nth, std::greater());
      least = std::max(least, *nth);
    }
    std::vector<uint32_t> place(nodes_.size(), kNoRow);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const bool kept = i == 0 || (nodes_[i].value >= least && place[nodes_[i].parent] != kNoRow);
      if (!kept) {
        ++tree.left_out;
        continue;
      }
      place[i] = static_cast<uint32_t>(tree.nodes.size());
      tree.nodes.push_back(nodes_[i]);
      tree.nodes.back().parent = place[nodes_[i].parent];
    }
    tree.names = std::move(names_);
    return tree;
  }

 private:
  std::unordered_map<uint64_t, uint32_t> children_;
  std::unordered_map<std::string, uint32_t> known_;
  std::vector<std::string> names_;
  std::vector<FlameNode> nodes_;
};

// Device time launched below each call slice.
std::vector<int64_t> LaunchedTime(const Trace& trace, const Links& links) {
  std::vector<int64_t> time(trace.slices.size(), 0);
  for (size_t row = 0; row < links.launch_of.size(); ++row) {
    const SliceId launch = links.launch_of[row];
    const uint32_t slice = trace.device_args[row].slice;
    if (launch != kNoSlice && slice != kNoRow) {
      time[Index(launch)] += trace.slices.duration[slice].ns;
    }
  }
  return time;
}

// Time of a span that none of its children accounts for.
std::vector<int64_t> SelfTime(const Trace& trace) {
  const Slices& slices = trace.slices;
  std::vector<int64_t> self(slices.size());
  for (uint32_t row = 0; row < slices.size(); ++row) self[row] = slices.duration[row].ns;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (slices.parent[row] != kNoSlice) self[Index(slices.parent[row])] -= slices.duration[row].ns;
  }
  return self;
}

bool StandsInPath(FlameBy by, Kind kind) {
  if (by == FlameBy::kStack) return true;
  if (by == FlameBy::kModule) return kind == Kind::kModuleFrame;
  return kind == Kind::kOp;
}

// Steps are calls of one thing: "ProfilerStep#7" is "ProfilerStep".
std::string_view NameInPath(std::string_view name, Kind kind) {
  if (kind != Kind::kStep) return name;
  const size_t end = name.find_last_not_of("0123456789");
  return end == std::string_view::npos || name[end] != '#' ? name : name.substr(0, end);
}

// Recorders draw one span around everything they recorded, on a row of its own. Counted as time
// spent, it would outweigh all else.
bool IsFrameAroundAll(const Trace& trace, const Track& track) {
  const uint32_t row = track.slices.first;
  return track.slices.last - row == 1 && trace.slices.kind[row] == Kind::kOther &&
         trace.tracks.size() > 1;
}

// "layer1/conv/MatMul:MatMul" step by step below the parent.
uint32_t ScopePath(Growing& tree, std::string_view name, Kind kind) {
  uint32_t node = 0;
  while (true) {
    const size_t slash = name.find('/');
    node = tree.Child(node, tree.Name(name.substr(0, slash)), kind);
    if (slash == std::string_view::npos) return node;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

FlameTree BuildFlame(const Trace& trace, const Links& links, FlameBy by, FlameMetric metric,
                     size_t most) {
  const Slices& slices = trace.slices;
  const std::vector<int64_t> own =
      metric == FlameMetric::kHost ? SelfTime(trace) : LaunchedTime(trace, links);
  Growing tree;
  std::vector<uint32_t> name_of(trace.strings.size(), kNoRow);
  std::vector<uint32_t> node_of(slices.size(), 0);
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::kStream || IsFrameAroundAll(trace, track)) continue;
    for (uint32_t row = track.slices.first; row < track.slices.last; ++row) {
      const SliceId parent = slices.parent[row];
      const Kind kind = slices.kind[row];
      uint32_t node = parent == kNoSlice ? 0 : node_of[Index(parent)];
      if (StandsInPath(by, kind)) {
        uint32_t& name = name_of[Index(slices.name[row])];
        if (name == kNoRow) name = tree.Name(NameInPath(trace.Name(row), kind));
        node = by == FlameBy::kScope ? ScopePath(tree, trace.Name(row), kind)
                                     : tree.Child(node, name, kind);
        ++tree[node].calls;
      }
      node_of[row] = node;
      if (node != 0) tree[node].value += DurationNs{std::max<int64_t>(own[row], 0)};
    }
  }
  return std::move(tree).Finish(most);
}

}  // namespace stepscope
