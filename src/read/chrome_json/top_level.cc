#include "read/chrome_json/top_level.h"

#include <fmt/format.h>

#include "read/chrome_json/decimal.h"
#include "read/chrome_json/json_value.h"
#include "read/chrome_json/key_table.h"

namespace stepscope::chrome_json {
namespace {

enum class Member : uint8_t {
  kNone,
  kDevices,
  kDistributed,
  kBaseTime,
  kHost,
  kShapes,
  kStacks,
  kModules,
  kMemory,
  kComplaints,
  kNote,
  kOfKineto,
  kStepscope,
};

constexpr KeyWord<Member> kMembers[] = {
    {"deviceProperties", Member::kDevices},     {"distributedInfo", Member::kDistributed},
    {"baseTimeNanoseconds", Member::kBaseTime}, {"host_name", Member::kHost},
    {"record_shapes", Member::kShapes},         {"with_stack", Member::kStacks},
    {"with_modules", Member::kModules},         {"profile_memory", Member::kMemory},
    {"WARNING", Member::kComplaints},           {"ERROR", Member::kComplaints},
    {"with_flops", Member::kOfKineto},          {"schemaVersion", Member::kOfKineto},
    {"stepscope", Member::kStepscope},          {"trace_id", Member::kNote},
    {"cupti_version", Member::kNote},           {"cuda_runtime_version", Member::kNote},
    {"cuda_driver_version", Member::kNote},     {"roctracer_version", Member::kNote},
    {"hip_runtime_version", Member::kNote},     {"hip_driver_version", Member::kNote},
};
constexpr KeyTable kMemberTable(kMembers);

Member MemberOf(std::string_view key) {
  return kMemberTable.Find(key.data(), key.size(), Member::kNone);
}

// The walk's value as text, however it is spelt. JsonWalk wants a container, so one is made.
std::string ScalarOf(std::string_view value) {
  const std::string wrapped = fmt::format("[{}]", value);
  JsonWalk walk(wrapped);
  return walk.Next() ? walk.String() : std::string();
}

bool IsSet(std::string_view value) {
  const std::string scalar = ScalarOf(value);
  return scalar == "1" || scalar == "true" || scalar == "True";
}

Device ReadDevice(std::string_view object) {
  Device device;
  std::optional<int64_t> major, minor;
  for (JsonWalk walk(object); walk.Next();) {
    const auto number = [&] { return ParseInteger(walk.scalar()); };
    if (walk.Is("id")) {
      device.index = static_cast<int32_t>(number().value_or(0));
    } else if (walk.Is("name")) {
      device.name = walk.String();
    } else if (walk.Is("totalGlobalMem")) {
      device.memory_bytes = number();
    } else if (walk.Is("computeMajor")) {
      major = number();
    } else if (walk.Is("computeMinor")) {
      minor = number();
    } else if (walk.Is("numSms")) {
      if (const auto sms = number()) device.sm_count = static_cast<int32_t>(*sms);
    }
  }
  if (major && minor) device.compute_capability = fmt::format("{}.{}", *major, *minor);
  return device;
}

void ReadDistributed(std::string_view object, RunFacts& facts) {
  for (JsonWalk walk(object); walk.Next();) {
    if (walk.Is("rank")) {
      facts.rank = ParseInteger(walk.scalar());
    } else if (walk.Is("world_size")) {
      facts.world_size = ParseInteger(walk.scalar());
    } else if (walk.Is("pg_config")) {
      facts.notes["process_groups"] = std::string(walk.value());
    } else if (walk.Is("backend") || walk.Is("nccl_version")) {
      facts.notes[std::string(walk.key().view())] = walk.String();
    }
  }
}

}  // namespace

bool TopLevel::Wants(std::string_view key) { return MemberOf(key) != Member::kNone; }

void TopLevel::Take(std::string_view key, std::string_view value, Diagnostics& diagnostics) {
  const Member member = MemberOf(key);
  if (member != Member::kNone && member != Member::kHost && member != Member::kStepscope) {
    kineto = true;
  }
  switch (member) {
    case Member::kNone:
    case Member::kOfKineto:
      return;
    case Member::kDevices:
      devices.clear();
      for (JsonWalk walk(value); walk.Next();) devices.push_back(ReadDevice(walk.value()));
      return;
    case Member::kDistributed:
      return ReadDistributed(value, facts);
    case Member::kBaseTime:
      base_time_ns = ParseInteger(ScalarOf(value));
      return;
    case Member::kHost:
      facts.host = ScalarOf(value);
      return;
    case Member::kStepscope:
      for (JsonWalk walk(value); walk.Next();) {
        if (walk.Is("framework")) own_framework = walk.String();
        if (walk.Is("format")) own_format = walk.String();
      }
      return;
    case Member::kShapes:
      facts.has_shapes = IsSet(value);
      return;
    case Member::kStacks:
      facts.has_stacks = IsSet(value);
      return;
    case Member::kModules:
      facts.has_modules = IsSet(value);
      return;
    case Member::kMemory:
      facts.has_memory = IsSet(value);
      return;
    case Member::kComplaints:
      for (JsonWalk walk(value); walk.Next();) {
        diagnostics.Add(Diagnostic::kProfileReportsError, 1, std::nullopt,
                        walk.String().substr(0, 200));
      }
      return;
    case Member::kNote:
      facts.notes[std::string(key)] = ScalarOf(value);
      return;
  }
}

}  // namespace stepscope::chrome_json
