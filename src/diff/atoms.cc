#include "diff/atoms.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "analyze/ops/call_tree.h"
#include "base/flat_index.h"
#include "diff/kernel_family.h"
#include "diff/places.h"

namespace stepscope::diff {
namespace {

constexpr size_t kEvents = 3;

// Atoms by key; a key is made of two at a time.
class AtomTable {
 public:
  explicit AtomTable(const Trace& trace) : trace_(trace) {}

  uint32_t Join(uint32_t a, uint32_t b) { return pairs_.Of(uint64_t{a} << 32 | b); }
  // The atom of a key, made by `describe` when new.
  template <typename Describe>
  uint32_t Of(uint32_t key, Describe describe) {
    const uint32_t at = atoms_index_.Of(key);
    if (at == atoms_.size()) {
      Atom& atom = atoms_.emplace_back();
      atom.order = at;
      describe(atom);
    }
    return at;
  }
  void Add(uint32_t atom, uint32_t step, uint32_t slice, const StepValue& more) {
    Atom& to = atoms_[atom];
    // Steps come nearly in order; threads may be a step apart.
    auto at = to.cells.rbegin();
    while (at != to.cells.rend() && at->step > step) ++at;
    if (at == to.cells.rend() || at->step != step) {
      const auto here = to.cells.insert(at.base(), StepValue{step, 0, 0, 0});
      at = std::make_reverse_iterator(here + 1);
    }
    at->calls += more.calls;
    at->device += more.device;
    at->host += more.host;
    if (to.events.size() < kEvents && more.calls > 0) {
      to.events.push_back(trace_.slices.event[slice]);
    }
  }
  Atom& operator[](uint32_t atom) { return atoms_[atom]; }
  std::vector<Atom> Take() && {
    std::erase_if(atoms_, [](const Atom& atom) { return atom.cells.empty(); });
    return std::move(atoms_);
  }

 private:
  const Trace& trace_;
  FlatIndex pairs_, atoms_index_;
  std::vector<Atom> atoms_;
};

class Collector {
 public:
  Collector(const LinkedTrace& linked, const StepLookup& steps)
      : linked_(linked),
        trace_(linked.trace),
        steps_(steps),
        places_(linked),
        ops_(Kind::kOp, trace_),
        table_(trace_),
        marks_step_(trace_.strings.size(), false) {
    for (const Step& step : linked.steps.items) {
      if (step.marker != kNoSlice)
        marks_step_[Index(trace_.slices.name[Index(step.marker)])] = true;
    }
  }

  std::vector<Atom> Collect() {
    AddOps();
    AddRanges(Kind::kAnnotation, AtomKind::kRange);
    AddRanges(Kind::kInput, AtomKind::kInput);
    AddCalls();
    AddWork();
    return std::move(table_).Take();
  }

 private:
  struct OpLabel {
    StringId name = kEmptyString, shapes = kEmptyString, types = kEmptyString;
    uint32_t module = 0, line = 0;
    Pass pass = Pass::kNone;
  };

  OpLabel LabelOf(uint32_t call) {
    const uint32_t slice = ops_.SliceOf(call);
    OpLabel label;
    label.name = trace_.slices.name[slice];
    if (const uint32_t args = trace_.slices.args[slice]; args != kNoRow) {
      label.shapes = trace_.op_args[args].input_dims;
      label.types = trace_.op_args[args].input_types;
    }
    const Place place = places_.OfOp(ops_, call);
    label.module = place.module;
    label.line = place.line;
    label.pass = place.pass;
    return label;
  }

  uint32_t KeyOf(const OpLabel& label) {
    uint32_t key = table_.Join(Index(label.name), Index(label.shapes));
    key = table_.Join(key, Index(label.types));
    key = table_.Join(key, label.module);
    key = table_.Join(key, label.line);
    return table_.Join(key, static_cast<uint32_t>(label.pass));
  }

  void Describe(const OpLabel& label, Atom& atom) const {
    atom.module = places_.Module(label.module);
    atom.op = trace_.strings[label.name];
    atom.shapes = trace_.strings[label.shapes];
    atom.types = trace_.strings[label.types];
    atom.line = places_.Line(label.line);
    atom.pass = NameOf(label.pass);
  }

  void AddOps() {
    const Slices& slices = trace_.slices;
    std::vector<int64_t> self(ops_.size());
    for (uint32_t call = 0; call < ops_.size(); ++call) {
      const int64_t duration = slices.duration[ops_.SliceOf(call)].ns;
      self[call] += duration;
      if (const uint32_t parent = ops_.ParentOf(call); parent != kNoRow) self[parent] -= duration;
    }
    atom_of_op_.assign(ops_.size(), kNoRow);
    key_of_op_.assign(ops_.size(), 0);
    for (uint32_t call = 0; call < ops_.size(); ++call) {
      const uint32_t slice = ops_.SliceOf(call);
      const OpLabel label = LabelOf(call);
      key_of_op_[call] = KeyOf(label);
      atom_of_op_[call] = table_.Of(table_.Join(key_of_op_[call], kNoRow),
                                    [&](Atom& atom) { Describe(label, atom); });
      const uint32_t step = steps_.AtHost(slices.start[slice]);
      if (step == kNoRow) continue;
      table_.Add(atom_of_op_[call], step, slice,
                 {.calls = 1, .host = std::max<int64_t>(self[call], 0)});
    }
  }

  // Ranges and stages: their own time is what no range or op inside of them takes.
  void AddRanges(Kind kind, AtomKind atom_kind) {
    const Slices& slices = trace_.slices;
    const CallTree ranges(kind, trace_);
    if (ranges.size() == 0) return;
    std::vector<int64_t> self(ranges.size());
    for (uint32_t call = 0; call < ranges.size(); ++call) {
      const int64_t duration = slices.duration[ranges.SliceOf(call)].ns;
      self[call] += duration;
      if (const uint32_t up = ranges.ParentOf(call); up != kNoRow) self[up] -= duration;
    }
    uint32_t near = 0;
    for (uint32_t op = 0; op < ops_.size(); ++op) {
      if (ops_.ParentOf(op) != kNoRow) continue;
      const uint32_t around = ranges.InnermostAt(ops_.SliceOf(op), near);
      if (around != kNoRow) self[around] -= slices.duration[ops_.SliceOf(op)].ns;
    }
    for (uint32_t call = 0; call < ranges.size(); ++call) {
      const uint32_t slice = ranges.SliceOf(call);
      const uint32_t step = steps_.AtHost(slices.start[slice]);
      if (step == kNoRow || trace_.Traits(slice).step_marker || IsStep(slice)) continue;
      AddNamed(atom_kind, slice, step, std::max<int64_t>(self[call], 0));
    }
  }

  // Runtime calls and waits that no op asked for.
  void AddCalls() {
    const Slices& slices = trace_.slices;
    for (uint32_t slice = 0; slice < slices.size(); ++slice) {
      if (slices.kind[slice] != Kind::kCall) continue;
      const uint32_t args = slices.args[slice];
      if (args != kNoRow && linked_.links.op_of_call[args] != kNoSlice) continue;
      const SliceId up = slices.parent[slice];
      if (up != kNoSlice && slices.kind[Index(up)] == Kind::kCall) continue;
      const uint32_t step = steps_.AtHost(slices.start[slice]);
      if (step != kNoRow) AddNamed(AtomKind::kCall, slice, step, slices.duration[slice].ns);
    }
  }

  void AddNamed(AtomKind kind, uint32_t slice, uint32_t step, int64_t host) {
    const StringId name = trace_.slices.name[slice];
    const uint32_t key =
        table_.Join(table_.Join(Index(name), static_cast<uint32_t>(kind)), kNoRow - 1);
    const uint32_t atom = table_.Of(key, [&](Atom& made) {
      made.kind = kind;
      made.op = trace_.strings[name];
    });
    table_.Add(atom, step, slice, {.calls = 1, .host = host});
  }

  // A range that is the step itself under another name.
  bool IsStep(uint32_t slice) const { return marks_step_[Index(trace_.slices.name[slice])]; }

  void AddWork() {
    OwnerLookup owners(ops_, linked_.links);
    for (const Work& item : linked_.work.all()) {
      const uint32_t step = steps_.Of(item);
      if (step == kNoRow) continue;
      const StringId kernel = trace_.slices.name[item.slice];
      const uint32_t owner = owners.Of(item);
      const StringId named =
          owner == kNoRow && item.row != kNoRow ? trace_.device_args[item.row].op : kEmptyString;
      const uint32_t key =
          owner != kNoRow ? key_of_op_[owner] : table_.Join(kNoRow - 2, Index(named));
      const uint32_t atom = table_.Of(table_.Join(key, Index(kernel)), [&](Atom& made) {
        if (owner != kNoRow) {
          const Atom& op = table_[atom_of_op_[owner]];
          made.module = op.module, made.op = op.op, made.shapes = op.shapes;
          made.types = op.types, made.pass = op.pass, made.line = op.line;
        } else {
          made.kind = AtomKind::kKernel;
          const XlaPlace place = places_.OfInstruction(named);
          made.op = trace_.strings[named];
          made.module = place.module;
          made.line = place.line;
        }
        made.kernel = trace_.strings[kernel];
        made.category = CategoryOf(item);
      });
      table_.Add(atom, step, item.slice, {.calls = 1, .device = (item.end - item.start).ns});
    }
  }

  KernelCategory CategoryOf(const Work& item) const {
    switch (item.work_class) {
      case WorkClass::kCommunication:
        return KernelCategory::kCommunication;
      case WorkClass::kCopy:
        return KernelCategory::kCopy;
      case WorkClass::kMemset:
        return KernelCategory::kMemset;
      case WorkClass::kCompute:
        return trace_.Traits(item.slice).category;
    }
    return KernelCategory::kOther;
  }

  const LinkedTrace& linked_;
  const Trace& trace_;
  const StepLookup& steps_;
  Places places_;
  const CallTree ops_;
  AtomTable table_;
  std::vector<bool> marks_step_;                  // by name
  std::vector<uint32_t> atom_of_op_, key_of_op_;  // by call of ops_
};

}  // namespace

StepLookup::StepLookup(const LinkedTrace& linked) : linked_(linked) {
  const std::vector<Step>& items = linked.steps.items;
  place_.assign(items.size(), kNoRow);
  const bool some = std::any_of(items.begin(), items.end(), [](const Step& s) { return s.used(); });
  for (uint32_t i = 0; i < items.size(); ++i) {
    const bool chosen = items[i].why_unused != WhyUnused::kNotSelected;
    if (some ? !items[i].used() : !chosen) continue;
    place_[i] = some ? size() : 0;
    if (some) used_.push_back(i);
    const bool marked = items[i].marker != kNoSlice;
    on_host_.push_back(
        marked ? Interval{items[i].host_start, items[i].host_start + items[i].host_duration}
               : Interval{items[i].start, items[i].end()});
  }
}

uint32_t StepLookup::AtHost(TimeNs time) const {
  if (linked_.steps.items.empty()) return 0;
  const auto after = std::partition_point(on_host_.begin(), on_host_.end(),
                                          [&](Interval known) { return known.start <= time; });
  if (after == on_host_.begin() || time >= (after - 1)->end) return kNoRow;
  return used_.empty() ? 0 : static_cast<uint32_t>(after - on_host_.begin()) - 1;
}

uint32_t StepLookup::Of(const Work& work) const {
  if (linked_.steps.items.empty()) return 0;
  if (work.row != kNoRow) {
    const uint32_t step = linked_.steps.step_of_device[work.row];
    return step == kNoRow ? kNoRow : place_[step];
  }
  const auto& items = linked_.steps.items;
  for (const uint32_t i : used_) {
    if (items[i].start <= work.start && work.start < items[i].end()) return place_[i];
  }
  return kNoRow;
}

std::vector<Atom> AtomsOf(const LinkedTrace& linked, const StepLookup& steps) {
  return Collector(linked, steps).Collect();
}

}  // namespace stepscope::diff
