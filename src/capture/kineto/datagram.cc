#include "capture/kineto/datagram.h"

#include <cstring>

namespace stepscope {
namespace {

constexpr size_t kTypeBytes = 32;
constexpr int32_t kActivities = 2;
// More ancestors than any process has.
constexpr int32_t kMostPids = 1024;

template <typename T>
T At(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::string EncodeDatagram(const KinetoDatagram& datagram) {
  std::string out;
  out.reserve(kDatagramHead + datagram.payload.size());
  Append(out, uint64_t{datagram.payload.size()});
  std::string type = datagram.type.substr(0, kTypeBytes - 1);
  type.resize(kTypeBytes);
  out += type;
  return out += datagram.payload;
}

std::optional<KinetoDatagram> DecodeDatagram(std::string_view bytes) {
  if (bytes.size() < kDatagramHead) return std::nullopt;
  if (At<uint64_t>(bytes, 0) != bytes.size() - kDatagramHead) return std::nullopt;
  const std::string_view type = bytes.substr(sizeof(uint64_t), kTypeBytes);
  return KinetoDatagram{std::string(type.substr(0, type.find('\0'))),
                        std::string(bytes.substr(kDatagramHead))};
}

std::optional<KinetoPoll> DecodePoll(std::string_view payload) {
  constexpr size_t kHead = 16;
  if (payload.size() < kHead) return std::nullopt;
  const auto count = At<int32_t>(payload, 4);
  if (count < 1 || count > kMostPids) return std::nullopt;
  if (payload.size() != kHead + static_cast<size_t>(count) * sizeof(int32_t)) return std::nullopt;
  KinetoPoll poll{.idle = (At<int32_t>(payload, 0) & kActivities) != 0,
                  .job = At<int64_t>(payload, 8),
                  .pids = {}};
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    poll.pids.push_back(At<int32_t>(payload, kHead + i * sizeof(int32_t)));
  }
  return poll;
}

std::optional<KinetoContext> DecodeContext(std::string_view payload) {
  constexpr size_t kSize = 16;
  if (payload.size() != kSize) return std::nullopt;
  return KinetoContext{At<int32_t>(payload, 0), At<int32_t>(payload, 4), At<int64_t>(payload, 8)};
}

std::string EncodeContextAnswer(int32_t processes) {
  std::string out;
  Append(out, processes);
  return out;
}

UnixAddress DaemonAddress(const std::string& directory) {
  if (directory.empty()) {
    std::string path(1, '\0');
    path += kDaemonName;
    path += '\0';
    return {path, "the abstract socket " + std::string(kDaemonName)};
  }
  std::string path = directory;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  path += '/';
  path += kDaemonName;
  // The zero byte at the end counts for Kineto.
  return {path + '\0', path};
}

}  // namespace stepscope
