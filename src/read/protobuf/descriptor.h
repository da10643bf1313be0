#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stepscope {

// What text protobuf needs to know about a message: names, numbers and types of its fields. A map
// field is a repeated message with `key` = 1 and `value` = 2, as on the wire.
enum class FieldType : uint8_t {
  kInteger,
  kBool,
  kEnum,
  kFloat,
  kDouble,
  kFixed32,
  kFixed64,
  kBytes,
  kMessage
};

struct EnumValue {
  std::string_view name;
  int32_t number = 0;
};

struct MessageDescriptor;

struct FieldDescriptor {
  std::string_view name;
  uint32_t number = 0;
  FieldType type = FieldType::kInteger;
  const MessageDescriptor* message = nullptr;  // of kMessage
  std::span<const EnumValue> values = {};      // of kEnum
};

struct MessageDescriptor {
  std::string_view name;
  std::span<const FieldDescriptor> fields;

  const FieldDescriptor* Find(std::string_view field) const {
    for (const FieldDescriptor& candidate : fields) {
      if (candidate.name == field) return &candidate;
    }
    return nullptr;
  }
};

}  // namespace stepscope
