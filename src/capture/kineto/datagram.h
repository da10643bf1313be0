#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// The datagrams between Kineto (PyTorch's profiler) and the daemon that it polls, byte by byte:
// u64 size of the payload, char[32] type, payload. All numbers are in the machine's own order. A
// datagram of another length than 40 + size ends the training process, so EncodeDatagram is the
// only place that makes one.
inline constexpr size_t kDatagramHead = 40;

struct KinetoDatagram {
  std::string type;  // "req" or "ctxt"; at most 31 characters
  std::string payload;

  bool operator==(const KinetoDatagram&) const = default;
};
std::string EncodeDatagram(const KinetoDatagram& datagram);
// Nothing where the bytes are no datagram: too short, or of another length than they say.
std::optional<KinetoDatagram> DecodeDatagram(std::string_view bytes);

// The payload of "req": a process asks whether there is something to do.
struct KinetoPoll {
  bool idle = false;          // false: its profiler is in use, it takes no request now
  int64_t job = 0;            // SLURM_JOB_ID, or 0
  std::vector<int32_t> pids;  // the process, its parent, and so on; in its own pid namespace
};
std::optional<KinetoPoll> DecodePoll(std::string_view payload);

// The payload of "ctxt", which older Kinetos send when they start.
struct KinetoContext {
  int32_t gpu = 0;
  int32_t pid = 0;
  int64_t job = 0;
};
std::optional<KinetoContext> DecodeContext(std::string_view payload);
// Its answer: how many processes use that GPU. Kineto only wants a number.
std::string EncodeContextAnswer(int32_t processes);

// The address of a daemon: abstract where `directory` is empty, else a file in that directory.
// Abstract names have a zero byte in front and, for Kineto, one behind.
struct UnixAddress {
  std::string path;   // as in sun_path, with its zero bytes
  std::string shown;  // for people
  bool is_abstract() const { return path.starts_with('\0'); }
};
inline constexpr std::string_view kDaemonName = "dynolog";
UnixAddress DaemonAddress(const std::string& directory);

}  // namespace stepscope
