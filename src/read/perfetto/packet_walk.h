#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "read/open_options.h"

namespace stepscope::perfetto {

// Hands out the packets of a trace in file order, also those inside compressed packets.
class PacketWalk {
 public:
  // False where the packet's fields are damaged; what came before counts.
  using Visit = std::function<bool(std::string_view packet)>;

  PacketWalk(const OpenOptions& options, Diagnostics& diagnostics, Visit visit)
      : options_(options), diagnostics_(diagnostics), visit_(std::move(visit)) {}

  // Packets of the file stay valid as long as its bytes do, others until the next one or, where
  // `keep` is given, as long as that lives.
  void Run(std::string_view file, std::deque<std::string>* keep = nullptr);

 private:
  void ReadPackets(std::string_view bytes, bool outermost);
  bool HoldsPackets(std::string_view packet);
  void Inflate(std::string_view compressed, bool zstd);

  const OpenOptions& options_;
  Diagnostics& diagnostics_;
  const Visit visit_;
  std::deque<std::string>* keep_ = nullptr;
};

}  // namespace stepscope::perfetto
