#include "analyze/hlo/hlo.h"

#include <algorithm>
#include <tuple>

#include "base/flat_index.h"

namespace stepscope {
namespace {

// Rows by name of the instruction.
class HloTable {
 public:
  // An instruction of several modules is taken for that of the module with the most instructions
  // that ran: a program's step, not the helpers around it.
  HloTable(const Trace& trace, const std::vector<bool>& ran)
      : trace_(trace), known_(trace.strings.size(), kNoRow) {
    std::vector<uint32_t> weight(trace.strings.size(), 0);  // by name of the module
    for (const HloOp& op : trace.hlo_ops) weight[Index(op.module)] += ran[Index(op.name)] ? 1 : 0;
    for (uint32_t i = 0; i < trace.hlo_ops.size(); ++i) {
      const HloOp& op = trace.hlo_ops[i];
      uint32_t& at = known_[Index(op.name)];
      if (at == kNoRow || weight[Index(op.module)] > weight[Index(trace.hlo_ops[at].module)])
        at = i;
    }
  }

  bool Knows(StringId name) const { return known_[Index(name)] != kNoRow; }

  void Add(StringId name, uint64_t calls, DurationNs time) {
    const uint32_t at = index_.Of(Index(name));
    if (at == rows_.size()) rows_.push_back(Describe(name));
    rows_[at].calls += calls;
    rows_[at].total += time;
  }

  std::vector<HloRow> Take() && {
    std::sort(rows_.begin(), rows_.end(), [&](const HloRow& a, const HloRow& b) {
      return std::tuple(b.total, trace_.strings[a.name]) <
             std::tuple(a.total, trace_.strings[b.name]);
    });
    return std::move(rows_);
  }

 private:
  HloRow Describe(StringId name) const {
    HloRow row;
    row.name = name;
    if (!Knows(name)) return row;
    const HloOp& op = trace_.hlo_ops[known_[Index(name)]];
    row.module = op.module;
    row.category = op.category;
    row.op_name = op.op_name;
    row.source = op.source;
    if (op.flops >= 0) row.flops = op.flops;
    if (op.bytes >= 0) row.bytes = op.bytes;
    return row;
  }

  const Trace& trace_;
  std::vector<uint32_t> known_;  // by name: first row of hlo_ops
  FlatIndex index_;
  std::vector<HloRow> rows_;
};

}  // namespace

std::vector<HloRow> AnalyzeHlo(const Trace& trace, const DeviceWork& work) {
  if (trace.hlo_ops.empty()) return {};
  // Work on a TPU has the name of its instruction; work on a GPU names it in its args. Few pairs of
  // the two are different.
  struct Sum {
    uint64_t calls = 0;
    DurationNs time;
  };
  FlatIndex pairs;
  std::vector<Sum> sums;
  for (const Work& item : work.all()) {
    const StringId op = item.row == kNoRow ? kEmptyString : trace.device_args[item.row].op;
    const uint32_t at = pairs.Of(uint64_t{Index(trace.slices.name[item.slice])} << 32 | Index(op));
    if (at == sums.size()) sums.emplace_back();
    ++sums[at].calls;
    sums[at].time += item.end - item.start;
  }
  const auto name_of = [&](size_t at) {
    return StringId{static_cast<uint32_t>(pairs.keys()[at] >> 32)};
  };
  const auto op_of = [&](size_t at) { return StringId{static_cast<uint32_t>(pairs.keys()[at])}; };
  std::vector<bool> ran(trace.strings.size(), false);  // by name
  for (size_t at = 0; at < sums.size(); ++at)
    ran[Index(name_of(at))] = ran[Index(op_of(at))] = true;
  HloTable table(trace, ran);
  for (size_t at = 0; at < sums.size(); ++at) {
    const StringId op = table.Knows(name_of(at)) ? name_of(at) : op_of(at);
    if (op != kEmptyString) table.Add(op, sums[at].calls, sums[at].time);
  }
  if (work.empty()) {
    for (uint32_t row = 0; row < trace.slices.size(); ++row) {
      if (trace.slices.kind[row] != Kind::kOp || !table.Knows(trace.slices.name[row])) continue;
      table.Add(trace.slices.name[row], 1, trace.slices.duration[row]);
    }
  }
  return std::move(table).Take();
}

}  // namespace stepscope
