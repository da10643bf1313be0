#include "capture/profiler_service/messages.h"

#include "read/protobuf/wire.h"
#include "read/protobuf/wire_writer.h"

namespace stepscope {
namespace {

// Version 1 says that every level is set as meant. With version 0 servers put their own defaults.
std::string EncodeOptions(const ProfileRequest& request) {
  std::string out;
  WireWriter options(out);
  options.Varint(1, 1);  // include_dataset_ops
  options.Varint(2, request.levels.host);
  options.Varint(3, request.levels.device);
  options.Varint(4, request.levels.python ? 1 : 0);
  options.Varint(5, 1);  // version
  options.Varint(7, 1);  // enable_hlo_proto
  if (request.start_ns != 0) options.Varint(8, request.start_ns);
  options.Varint(9, static_cast<uint64_t>(request.duration.count()));
  return out;
}

}  // namespace

std::string EncodeProfileRequest(const ProfileRequest& request) {
  std::string out;
  WireWriter message(out);
  message.Varint(1, static_cast<uint64_t>(request.duration.count()));
  message.Varint(2, 1'000'000);  // max_events, as the official clients send it
  message.Bytes(4, EncodeOptions(request));
  if (!request.repository_root.empty()) message.Bytes(5, request.repository_root);
  message.Bytes(6, request.session_id);
  message.Bytes(7, request.host_name);
  message.Varint(9, 1);  // emit_xspace: the profile comes with the answer
  return out;
}

std::string EncodeTerminateRequest(std::string_view session_id) {
  std::string out;
  WireWriter(out).Bytes(1, session_id);
  return out;
}

std::string EncodeMonitorRequest(std::chrono::milliseconds duration) {
  std::string out;
  WireWriter message(out);
  message.Varint(1, static_cast<uint64_t>(duration.count()));
  message.Varint(2, 2);  // monitoring_level: the most there is
  return out;
}

MonitorAnswer DecodeMonitorAnswer(std::string_view message) {
  MonitorAnswer answer;
  for (WireReader field(message); field.Next();) {
    if (field.field() == 1) answer.text = field.Bytes();
    if (field.field() != 10) continue;
    for (WireReader result(field.Bytes()); result.Next();) {
      if (result.field() == 2) answer.device_idle_percent = result.Double();
      if (result.field() == 3) answer.matrix_unit_percent = result.Double();
      if (result.field() == 4) answer.step_ms = result.Double();
    }
  }
  return answer;
}

}  // namespace stepscope
