#include "capture/processes/listeners.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

namespace stepscope {
namespace {

// Lines of /proc/net/tcp: "sl local remote state … inode", addresses as hex "ADDRESS:PORT".
void ReadTable(const std::string& path, std::map<std::string, int>& port_of_inode) {
  constexpr std::string_view kListening = "0A";
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, state, skip, inode;
    words >> slot >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skip;
    words >> inode;
    const size_t colon = local.rfind(':');
    if (state != kListening || colon == std::string::npos) continue;
    int port = 0;
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), port, 16);
    port_of_inode[inode] = port;
  }
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  DIR* opened = opendir(folder.c_str());
  if (opened == nullptr) return names;
  while (const dirent* entry = readdir(opened)) names.emplace_back(entry->d_name);
  closedir(opened);
  return names;
}

}  // namespace

std::vector<PortListener> ReadListeners(const std::string& proc) {
  constexpr std::string_view kSocket = "socket:[";
  std::map<std::string, int> port_of_inode;
  ReadTable(proc + "/net/tcp", port_of_inode);
  ReadTable(proc + "/net/tcp6", port_of_inode);
  std::vector<PortListener> listeners;
  for (const std::string& name : NamesIn(proc)) {
    int pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr !=
        name.data() + name.size()) {
      continue;
    }
    const std::string folder = fmt::format("{}/{}/fd", proc, pid);
    for (const std::string& fd : NamesIn(folder)) {
      char target[64];
      const ssize_t size = readlink((folder + "/" + fd).c_str(), target, sizeof target);
      const std::string_view link(target, size > 0 ? static_cast<size_t>(size) : 0);
      if (!link.starts_with(kSocket) || !link.ends_with(']')) continue;
      const std::string inode(link.substr(kSocket.size(), link.size() - kSocket.size() - 1));
      const auto found = port_of_inode.find(inode);
      if (found != port_of_inode.end()) listeners.push_back({found->second, pid});
    }
  }
  const auto key = [](const PortListener& one) { return std::pair(one.port, one.pid); };
  std::sort(listeners.begin(), listeners.end(),
            [&](const PortListener& a, const PortListener& b) { return key(a) < key(b); });
  listeners.erase(
      std::unique(listeners.begin(), listeners.end(),
                  [&](const PortListener& a, const PortListener& b) { return key(a) == key(b); }),
      listeners.end());
  return listeners;
}

}  // namespace stepscope
