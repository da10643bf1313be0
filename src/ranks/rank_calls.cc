#include "ranks/rank_calls.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyze/host_spans.h"
#include "base/json_document.h"
#include "read/xplane/hlo_graph.h"
#include "trace/element_type.h"

namespace stepscope {
namespace {

// The first type of ["float","float"].
std::string_view FirstType(std::string_view types) {
  const size_t from = types.find('"');
  if (from == std::string_view::npos) return {};
  const size_t to = types.find('"', from + 1);
  return to == std::string_view::npos ? std::string_view() : types.substr(from + 1, to - from - 1);
}

class CallReader {
 public:
  CallReader(const LinkedTrace& linked, RankDigest& digest)
      : linked_(linked), trace_(linked.trace), digest_(digest) {
    digest_.groups = DeclaredGroups(trace_.facts);
    const bool collectives = std::ranges::any_of(
        trace_.traits, [](const NameTraits& traits) { return traits.communication; });
    if (trace_.facts.format == Format::kXPlane && collectives) {
      // Without channels, instructions go by their names.
      channels_ = ReadHloChannels(trace_.path).value_or(channels_);
    }
  }

  void ReadDevice(int32_t device);
  void ReadHost();
  void Finish();

 private:
  uint32_t GroupOf(RankGroup group);
  uint32_t SignatureOf(CallSignature signature);
  CallSignature FromArgs(const CollectiveArgs& args, uint32_t slice);
  CallSignature FromName(uint32_t slice, std::string_view backend);
  CallSignature FromXla(const DeviceArgs& row, uint32_t slice);
  uint32_t StepAt(uint32_t row, TimeNs time) const;

  const LinkedTrace& linked_;
  const Trace& trace_;
  RankDigest& digest_;
  using Key = std::tuple<uint32_t, CollectiveType, std::string, int64_t, int64_t, int64_t, int64_t,
                         std::string>;
  std::map<Key, uint32_t> known_;
  std::unordered_map<std::string, int64_t> channels_;  // by XLA's instruction
};

uint32_t CallReader::GroupOf(RankGroup group) {
  const auto same = [&](const RankGroup& other) {
    if (group.name != other.name) return false;
    if (!group.ranks.empty() && !other.ranks.empty()) return group.ranks == other.ranks;
    return group.size < 0 || other.size < 0 || group.size == other.size;
  };
  const auto at = std::ranges::find_if(digest_.groups, same);
  if (at != digest_.groups.end()) {
    if (at->ranks.empty()) at->ranks = std::move(group.ranks);
    if (at->size < 0) at->size = group.size;
    return static_cast<uint32_t>(at - digest_.groups.begin());
  }
  digest_.groups.push_back(std::move(group));
  return static_cast<uint32_t>(digest_.groups.size() - 1);
}

uint32_t CallReader::SignatureOf(CallSignature signature) {
  const Key key{signature.group,        signature.type, signature.dtype,   signature.in_elements,
                signature.out_elements, signature.peer, signature.channel, signature.instruction};
  const auto [at, is_new] =
      known_.try_emplace(key, static_cast<uint32_t>(digest_.signatures.size()));
  if (is_new) digest_.signatures.push_back(std::move(signature));
  return at->second;
}

CallSignature CallReader::FromArgs(const CollectiveArgs& args, uint32_t slice) {
  CallSignature signature;
  std::string_view name = trace_.strings[args.name];
  if (name.empty()) name = trace_.Name(slice);
  signature.type = CollectiveTypeOf(name);
  signature.dtype = trace_.strings[args.dtype];
  signature.in_elements = args.in_elements;
  signature.out_elements = args.out_elements;
  signature.element_bytes = ElementBytes(signature.dtype);
  if (signature.type == CollectiveType::kSend) signature.peer = args.destination;
  if (signature.type == CollectiveType::kReceive) signature.peer = args.source;
  signature.group = GroupOf({.name = std::string(trace_.strings[args.group]),
                             .description = {},
                             .backend = "nccl",
                             .size = args.group_size});
  return signature;
}

CallSignature CallReader::FromName(uint32_t slice, std::string_view backend) {
  CallSignature signature;
  signature.type = CollectiveTypeOf(trace_.Name(slice));
  const uint32_t row = trace_.slices.args[slice];
  if (row != kNoRow && TableOf(trace_.slices.kind[slice]) == ArgsTable::kOp) {
    const OpArgs& args = trace_.op_args[row];
    signature.in_elements = ElementsOf(trace_.strings[args.input_dims]);
    signature.dtype = FirstType(trace_.strings[args.input_types]);
    signature.element_bytes = ElementBytes(signature.dtype);
  }
  // A span that does not name the group means the one of all ranks.
  for (uint32_t g = 0; g < digest_.groups.size(); ++g) {
    const RankGroup& group = digest_.groups[g];
    if (group.size == digest_.world_size || group.size < 0) {
      signature.group = g;
      return signature;
    }
  }
  signature.group = GroupOf({.name = {}, .description = {}, .backend = std::string(backend)});
  return signature;
}

// XLA gives a collective a channel, which is the same on all hosts; without one the same
// instruction is the same call.
CallSignature CallReader::FromXla(const DeviceArgs& row, uint32_t slice) {
  CallSignature signature = FromName(slice, "xla");
  std::string_view op = trace_.strings[row.op];
  if (op.empty()) op = trace_.Name(slice);
  const std::string_view instruction = op.substr(op.find_last_of('/') + 1);
  const CollectiveType type = CollectiveTypeOf(instruction);
  if (type != CollectiveType::kOther) signature.type = type;
  const auto channel = channels_.find(std::string(instruction));
  if (channel != channels_.end()) signature.channel = channel->second;
  if (signature.channel < 0) signature.instruction = op;
  return signature;
}

uint32_t CallReader::StepAt(uint32_t row, TimeNs time) const {
  const Steps& steps = linked_.steps;
  if (row != kNoRow && row < steps.step_of_device.size() && steps.step_of_device[row] != kNoRow) {
    return steps.step_of_device[row];
  }
  const auto after = std::ranges::upper_bound(steps.items, time, {}, &Step::start);
  if (after == steps.items.begin()) return kNoRow;
  const auto at = after - 1;
  return time < at->end() ? static_cast<uint32_t>(at - steps.items.begin()) : kNoRow;
}

void CallReader::ReadDevice(int32_t device) {
  std::map<uint64_t, size_t> of_op;  // external id: one call may have several kernels
  for (const Work& work : linked_.work.Of(device)) {
    if (work.work_class != WorkClass::kCommunication || work.row == kNoRow) continue;
    const DeviceArgs& row = trace_.device_args[work.row];
    CallSignature signature;
    int64_t sequence = -1;
    uint64_t id = 0;
    if (row.collective != kNoRow) {
      const CollectiveArgs& args = trace_.collectives[row.collective];
      signature = FromArgs(args, work.slice);
      sequence = args.sequence;
      id = args.id;
    } else if (row.op != kEmptyString || trace_.facts.format == Format::kXPlane) {
      signature = FromXla(row, work.slice);
    } else {
      signature = FromName(work.slice, "nccl");
    }
    if (signature.type == CollectiveType::kWait) continue;
    const bool joins = row.external_id != 0 && row.collective != kNoRow && row.graph_node == 0;
    if (joins) {
      const auto [at, is_new] = of_op.try_emplace(row.external_id, digest_.calls.size());
      if (!is_new) {
        RankCall& call = digest_.calls[at->second];
        call.start = std::min(call.start, work.start);
        call.end = std::max(call.end, work.end);
        continue;
      }
    }
    digest_.calls.push_back({.start = work.start,
                             .end = work.end,
                             .signature = SignatureOf(std::move(signature)),
                             .step = StepAt(work.row, work.start),
                             .event = trace_.slices.event[work.slice],
                             .lane = Index(trace_.TrackOf(work.slice)),
                             .sequence = sequence,
                             .id = id});
  }
}

void CallReader::ReadHost() {
  for (uint32_t t = 0; t < trace_.tracks.size(); ++t) {
    const Track& track = trace_.tracks[t];
    if (track.kind == TrackKind::kStream) continue;
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      if (!IsHostCollective(trace_, slice)) continue;
      const std::string_view name = trace_.Name(slice);
      const size_t colon = name.find(':');
      if (colon == std::string_view::npos || name.starts_with("nccl")) continue;
      CallSignature signature = FromName(slice, name.substr(0, colon));
      if (signature.type == CollectiveType::kWait) continue;
      digest_.calls.push_back({.start = trace_.slices.start[slice],
                               .end = trace_.slices.end(slice),
                               .signature = SignatureOf(std::move(signature)),
                               .step = StepAt(kNoRow, trace_.slices.start[slice]),
                               .event = trace_.slices.event[slice],
                               .lane = t});
    }
  }
  digest_.on_host = !digest_.calls.empty();
}

void CallReader::Finish() {
  std::ranges::stable_sort(digest_.calls, {},
                           [](const RankCall& call) { return std::tuple(call.start, call.event); });
  for (CallSignature& signature : digest_.signatures) {
    RankGroup& group = digest_.groups[signature.group];
    if (group.size < 0) group.size = digest_.world_size.value_or(-1);
    signature.bytes = PayloadBytes(signature.type, signature.in_elements, signature.out_elements,
                                   signature.element_bytes, group.size);
  }
}

}  // namespace

std::vector<RankGroup> DeclaredGroups(const RunFacts& facts) {
  std::vector<RankGroup> groups;
  const auto at = facts.notes.find("process_groups");
  if (at == facts.notes.end()) return groups;
  const Result<JsonValue> list = ParseJson(at->second);
  if (!list) return groups;
  const auto backend = facts.notes.find("backend");
  for (const JsonValue& item : list->items()) {
    // What collectives say of a group stands before what the top of the file does.
    const auto known = std::ranges::find(groups, item["pg_name"].text(), &RankGroup::name);
    if (known != groups.end()) continue;
    RankGroup& group = groups.emplace_back();
    group.name = item["pg_name"].text();
    group.description = item["pg_desc"].text();
    if (backend != facts.notes.end()) group.backend = backend->second;
    if (!item["pg_size"].is_null()) group.size = item["pg_size"].AsInt();
    for (const JsonValue& rank : item["ranks"].items()) group.ranks.push_back(rank.AsInt());
    std::ranges::sort(group.ranks);
    if (group.size < 0 && !group.ranks.empty()) {
      group.size = static_cast<int64_t>(group.ranks.size());
    }
    // A list that is shorter than the group was cut.
    if (static_cast<int64_t>(group.ranks.size()) != group.size) group.ranks.clear();
  }
  return groups;
}

int64_t ElementsOf(std::string_view dims) {
  int64_t sum = 0, product = 1;
  bool any = false, in_shape = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] >= '0' && dims[i] <= '9') {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(dims.data() + i, dims.data() + dims.size(), number);
      if (error != std::errc{} || __builtin_mul_overflow(product, number, &product)) return -1;
      i = static_cast<size_t>(end - dims.data()) - 1;
      any = in_shape = true;
    } else if (dims[i] == ']' && in_shape) {
      if (__builtin_add_overflow(sum, product, &sum)) return -1;
      product = 1;
      in_shape = false;
    }
  }
  return any ? sum : -1;
}

void AddCalls(const LinkedTrace& linked, int32_t device, RankDigest& digest) {
  CallReader reader(linked, digest);
  if (device >= 0) reader.ReadDevice(device);
  if (digest.calls.empty()) reader.ReadHost();
  reader.Finish();
}

}  // namespace stepscope
