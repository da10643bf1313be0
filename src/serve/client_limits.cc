#include "serve/client_limits.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr double kBurstSeconds = 5;

}  // namespace

bool ClientLimits::Enter(const std::string& client) {
  if (connections_ == 0) return true;
  const std::scoped_lock lock(mutex_);
  Client& known = clients_[client];
  if (known.connections >= connections_) return false;
  ++known.connections;
  return true;
}

void ClientLimits::Leave(const std::string& client) {
  if (connections_ == 0) return;
  const std::scoped_lock lock(mutex_);
  const auto known = clients_.find(client);
  if (known == clients_.end()) return;
  if (--known->second.connections == 0 && requests_ == 0) clients_.erase(known);
}

bool ClientLimits::MayAsk(const std::string& client, std::chrono::steady_clock::time_point now) {
  if (requests_ == 0) return true;
  const std::scoped_lock lock(mutex_);
  ForgetQuiet(now);
  const double most = kBurstSeconds * static_cast<double>(requests_);
  Client& known = clients_[client];
  const bool seen = known.counted != std::chrono::steady_clock::time_point();
  const std::chrono::duration<double> since = now - known.counted;
  known.left =
      seen ? std::min(most, known.left + since.count() * static_cast<double>(requests_)) : most;
  known.counted = now;
  if (known.left < 1) return false;
  --known.left;
  return true;
}

void ClientLimits::ForgetQuiet(std::chrono::steady_clock::time_point now) {
  constexpr size_t kMany = 4096;
  if (clients_.size() < kMany) return;
  std::erase_if(clients_, [&](const auto& entry) {
    const std::chrono::duration<double> since = now - entry.second.counted;
    return entry.second.connections == 0 && since.count() > kBurstSeconds;
  });
}

}  // namespace stepscope
