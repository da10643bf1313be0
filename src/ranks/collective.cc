#include "ranks/collective.h"

#include <array>
#include <string>
#include <utility>

namespace stepscope {
namespace {

using enum CollectiveType;

struct Spelling {
  std::string_view part;
  CollectiveType type;
};
// In lower case without anything but letters; the first that is a part of the name decides.
constexpr auto kSpellings = std::to_array<Spelling>({
    {"alltoallv", kAllToAllV},
    {"alltoall", kAllToAll},
    {"allreduce", kAllReduce},
    {"crossdevicereduce", kAllReduce},
    {"reducescatter", kReduceScatter},
    {"allgather", kAllGather},
    {"sendrecv", kSendReceive},
    {"collectivepermute", kSendReceive},
    {"broadcast", kBroadcast},
    {"barrier", kBarrier},
    {"send", kSend},
    {"recv", kReceive},
    {"receive", kReceive},
    {"gather", kGather},
    {"scatter", kScatter},
    {"reduce", kReduce},
    {"wait", kWait},
});

// Arguments of a kernel's template or signature say nothing about what it does.
std::string LettersOf(std::string_view name) {
  std::string letters;
  for (const char c : name.substr(0, name.find_first_of("(<"))) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') letters += c;
  }
  return letters;
}

struct Link {
  std::string_view device;
  double bytes_per_s;
};
// One direction, all links of a device together.
constexpr auto kLinks = std::to_array<Link>({
    {"H100 PCIe", 63e9},
    {"H100", 450e9},
    {"H200", 450e9},
    {"H800", 200e9},
    {"A100", 300e9},
    {"B200", 900e9},
    {"GB200", 900e9},
    {"MI300X", 448e9},
});

}  // namespace

std::string_view NameOf(CollectiveType type) {
  constexpr std::array<std::string_view, kCollectiveTypes> kNames = {
      "allreduce",  "broadcast",   "reduce",  "allgather", "reduce_scatter",
      "all_to_all", "all_to_allv", "gather",  "scatter",   "send",
      "recv",       "sendrecv",    "barrier", "wait",      "other"};
  return kNames[static_cast<size_t>(type)];
}

CollectiveType CollectiveTypeOf(std::string_view name) {
  const std::string letters = LettersOf(name);
  for (const Spelling& spelling : kSpellings) {
    if (letters.find(spelling.part) != std::string::npos) return spelling.type;
  }
  return kOther;
}

bool Synchronises(CollectiveType type) {
  return type == kAllReduce || type == kAllGather || type == kReduceScatter || type == kAllToAll ||
         type == kBarrier;
}

bool IsPointToPoint(CollectiveType type) {
  return type == kSend || type == kReceive || type == kSendReceive;
}

int64_t PayloadBytes(CollectiveType type, int64_t in_elements, int64_t out_elements,
                     int64_t element_bytes, int64_t ranks) {
  int64_t elements = in_elements;
  if (type == kAllGather) {
    elements = out_elements;
    const bool gathered = in_elements >= 0 && ranks > 0;
    if (out_elements < 0 && (!gathered || __builtin_mul_overflow(in_elements, ranks, &elements))) {
      return -1;
    }
  } else if (type == kReceive && in_elements < 0) {
    elements = out_elements;
  }
  int64_t bytes = 0;
  if (elements < 0 || element_bytes <= 0) return -1;
  return __builtin_mul_overflow(elements, element_bytes, &bytes) ? -1 : bytes;
}

double BusFactor(CollectiveType type, int64_t ranks) {
  if (ranks < 1) return 1;
  const auto n = static_cast<double>(ranks);
  switch (type) {
    case kAllReduce:
      return 2 * (n - 1) / n;
    case kReduceScatter:
    case kAllGather:
    case kAllToAll:
    case kAllToAllV:
    case kGather:
    case kScatter:
      return (n - 1) / n;
    case kBroadcast:
    case kReduce:
    case kSend:
    case kReceive:
    case kSendReceive:
    case kBarrier:
    case kWait:
    case kOther:
      return 1;
  }
  std::unreachable();
}

double LinkPeak(std::string_view device_name) {
  for (const Link& link : kLinks) {
    if (device_name.find(link.device) != std::string_view::npos) return link.bytes_per_s;
  }
  return 0;
}

}  // namespace stepscope
