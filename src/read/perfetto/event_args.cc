#include "read/perfetto/event_args.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "read/perfetto/packet_fields.h"
#include "read/perfetto/perfetto_fields.h"

namespace stepscope::perfetto {
namespace {

struct Value {
  int64_t number = 0;
  double real = 0;
  std::string_view text;
};

// Text may hold a number, or JSON text in quotes.
void ReadText(std::string_view text, Value& value) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  value.text = text;
  std::from_chars(text.data(), text.data() + text.size(), value.number);
  std::from_chars(text.data(), text.data() + text.size(), value.real);
}

// "[264,1,1]".
template <typename T>
void ReadSizes(std::string_view text, T (&sizes)[3]) {
  size_t at = 0;
  for (T& size : sizes) {
    at = std::min(text.find_first_of("0123456789", at), text.size());
    uint64_t number = 0;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), number).ptr;
    at = static_cast<size_t>(end - text.data());
    size = static_cast<T>(std::min<uint64_t>(number, std::numeric_limits<T>::max()));
  }
}

}  // namespace

void EventArgs::Add(std::string_view annotation, const Sequence& sequence, BlockWriter& out) {
  ArgRole role = ArgRole::kNone;
  Value value;
  for (PacketFields field(annotation); field.Next();) {
    switch (field.field()) {
      case kAnnotationNameIid:
        role = sequence.annotations.Get(field.Unsigned());
        // Most arguments are for people only.
        if (role == ArgRole::kNone) return;
        break;
      case kAnnotationName:
        role = ArgRoleOf(field.Bytes());
        break;
      case kAnnotationBool:
      case kAnnotationUint:
      case kAnnotationInt:
      case kAnnotationPointer:
        value.number = field.Signed();
        value.real = static_cast<double>(value.number);
        break;
      case kAnnotationDouble:
        value.real = field.Double();
        break;
      case kAnnotationString:
        ReadText(field.Bytes(), value);
        break;
      case kAnnotationStringIid:
        ReadText(out.block().strings[sequence.strings.Get(field.Unsigned())], value);
        break;
      default:
        break;
    }
  }
  any |= role != ArgRole::kNone;
  switch (role) {
    case ArgRole::kNone:
      break;
    case ArgRole::kExternalId:
      op.external_id = call.external_id = device.external_id = static_cast<uint64_t>(value.number);
      break;
    case ArgRole::kSequence:
      op.sequence = value.number;
      break;
    case ArgRole::kInputDims:
      op.input_dims = out.Intern(value.text);
      break;
    case ArgRole::kInputTypes:
      op.input_types = out.Intern(value.text);
      break;
    case ArgRole::kCorrelation:
      call.correlation = device.correlation = static_cast<uint64_t>(value.number);
      break;
    case ArgRole::kDevice:
      device.device = static_cast<int32_t>(std::clamp<int64_t>(value.number, 0, INT32_MAX));
      break;
    case ArgRole::kStream:
      device.stream = static_cast<int32_t>(value.number);
      break;
    case ArgRole::kBytes:
      device.bytes = value.number;
      break;
    case ArgRole::kGrid:
      ReadSizes(value.text, device.grid);
      break;
    case ArgRole::kBlock:
      ReadSizes(value.text, device.block);
      break;
    case ArgRole::kRegisters:
      device.registers = static_cast<uint16_t>(std::clamp<int64_t>(value.number, 0, UINT16_MAX));
      break;
    case ArgRole::kSharedMemory:
      device.shared_memory =
          static_cast<uint32_t>(std::clamp<int64_t>(value.number, 0, UINT32_MAX));
      break;
    case ArgRole::kOccupancy:
      device.occupancy_percent = static_cast<float>(value.real);
      break;
    case ArgRole::kBlocksPerSm:
      device.blocks_per_sm = static_cast<float>(value.real);
      break;
    case ArgRole::kOp:
      device.op = out.Intern(value.text);
      break;
    case ArgRole::kFrameId:
      frame.id = value.number;
      break;
    case ArgRole::kFrameParent:
      frame.parent_id = value.number;
      break;
  }
}

uint32_t EventArgs::Store(Kind kind, BlockWriter& out) const {
  const bool device_work = IsDeviceWork(kind);
  if (!any && !device_work) return kNoRow;
  switch (TableOf(kind)) {
    case ArgsTable::kOp:
      return out.Args(op);
    case ArgsTable::kCall:
      return out.Args(call);
    case ArgsTable::kDevice:
      return out.Args(device);
    case ArgsTable::kFrame:
      out.block().frame_args.push_back(frame);
      return static_cast<uint32_t>(out.block().frame_args.size() - 1);
  }
  return kNoRow;
}

}  // namespace stepscope::perfetto
