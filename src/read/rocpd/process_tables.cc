#include "read/rocpd/process_tables.h"

#include <algorithm>
#include <charconv>

#include "read/chrome_json/json_value.h"
#include "read/chrome_json/text.h"
#include "read/sqlite_tables.h"

namespace stepscope::rocpd {
namespace {

using chrome_json::JsonWalk;

std::string Repaired(std::string_view text) {
  std::string repaired;
  chrome_json::AppendRepairedUtf8(text, repaired);
  return repaired;
}

int64_t NumberIn(std::string_view json, std::string_view key) {
  for (JsonWalk walk(json); walk.Next();) {
    if (!walk.Is(key)) continue;
    int64_t number = 0;
    const std::string_view digits = walk.scalar();
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }
  return 0;
}

// Reads the tables of one process one after the other.
class Loader {
 public:
  Loader(const SqliteFile& file, ProcessTables& into) : file_(file), into_(into) {}

  void ReadNames() {
    Rows("rocpd_string", {"id", "string"},
         [&](const SqliteRows& row) { into_.strings[row.Integer(0)] = Intern(row.Text(1)); });
    Rows("rocpd_info_kernel_symbol", {"id", "display_name", "kernel_name", "arch_vgpr_count"},
         [&](const SqliteRows& row) {
           const std::string_view name = row.Text(1).empty() ? row.Text(2) : row.Text(1);
           into_.kernels[row.Integer(0)] = {Intern(name), row.Integer(3)};
         });
    Rows("rocpd_info_pmc", {"id", "name", "agent_id"}, [&](const SqliteRows& row) {
      into_.counters[row.Integer(0)] = {Intern(row.Text(1)), row.Integer(2)};
    });
  }

  void ReadPlaces(Gpus& gpus) {
    // Nodes are known by a hash of the machine, which is the same in all processes.
    std::unordered_map<int64_t, int64_t> nodes;
    Rows("rocpd_info_node", {"id", "hash"},
         [&](const SqliteRows& row) { nodes[row.Integer(0)] = row.Integer(1, row.Integer(0)); });
    Rows("rocpd_info_process", {"id", "pid"},
         [&](const SqliteRows& row) { into_.pids[row.Integer(0)] = row.Integer(1); });
    Rows("rocpd_info_thread", {"id", "tid", "name"}, [&](const SqliteRows& row) {
      into_.tids[row.Integer(0)] = row.Integer(1);
      if (!row.Text(2).empty()) into_.thread_names[row.Integer(0)] = Intern(row.Text(2));
    });
    Rows("rocpd_info_agent", {"id", "nid", "type", "type_index", "product_name", "name", "extdata"},
         [&](const SqliteRows& row) { ReadAgent(row, nodes, gpus); });
    Rows("rocpd_track", {"id", "pid", "tid", "agent_id", "queue_id", "stream_id", "name_id"},
         [&](const SqliteRows& row) {
           into_.tracks[row.Integer(0)] = {row.Integer(1), row.Integer(2), row.Integer(3),
                                           row.Integer(4), row.Integer(5), row.Integer(6)};
         });
  }

  void ReadEvents() {
    Rows("rocpd_timestamp", {"id", "value"}, [&](const SqliteRows& row) {
      if (!row.IsNull(1)) into_.times[row.Integer(0)] = row.Integer(1);
    });
    Rows("rocpd_event", {"id", "category_id", "stack_id", "correlation_id", "extdata"},
         [&](const SqliteRows& row) {
           // The stack id is the profiler's own correlation, the other one the program's.
           const int64_t own = row.Integer(2);
           ProcessTables::Event event{row.Integer(1), own != 0 ? own : row.Integer(3),
                                      kEmptyString};
           constexpr size_t kShortest = 12;  // {"message":}
           if (row.Text(4).size() >= kShortest) event.message = MessageIn(row.Text(4));
           into_.events[row.Integer(0)] = event;
         });
  }

 private:
  template <typename Visit>
  void Rows(std::string_view table, std::initializer_list<std::string_view> columns, Visit visit) {
    const std::string name = into_.Table(table);
    if (ForEachRow(file_, name, columns, visit)) into_.damaged.push_back(name);
  }

  StringId Intern(std::string_view text) {
    if (chrome_json::IsValidUtf8(text)) return into_.texts.Intern(text);
    return into_.texts.Intern(Repaired(text));
  }

  void ReadAgent(const SqliteRows& row, const std::unordered_map<int64_t, int64_t>& nodes,
                 Gpus& gpus) {
    const auto node = nodes.find(row.Integer(1));
    const ProcessTables::Agent agent{
        row.Text(2) == "GPU", node == nodes.end() ? row.Integer(1) : node->second, row.Integer(3)};
    into_.agents[row.Integer(0)] = agent;
    if (!agent.gpu) return;
    Device device;
    device.index = static_cast<int32_t>(std::clamp<int64_t>(agent.on_node, 0, INT32_MAX));
    device.name = Repaired(row.Text(4).empty() ? row.Text(5) : row.Text(4));
    const int64_t units = NumberIn(row.Text(6), "cu_count");
    if (units > 0) device.sm_count = static_cast<int32_t>(std::min<int64_t>(units, INT32_MAX));
    gpus.Add(agent.node, std::move(device));
  }

  // What a roctx range was called.
  StringId MessageIn(std::string_view json) {
    for (JsonWalk walk(json); walk.Next();) {
      if (walk.Is("message")) return Intern(walk.String());
    }
    return kEmptyString;
  }

  const SqliteFile& file_;
  ProcessTables& into_;
};

}  // namespace

void Gpus::Add(int64_t node, Device device) {
  const int64_t on_node = device.index;
  devices_.try_emplace({node, on_node}, std::move(device));
}

void Gpus::Number() {
  int32_t first = 0, last = -1;
  int64_t node = 0;
  for (auto& [key, device] : devices_) {
    if (key.first != node) first = last + 1;
    node = key.first;
    int32_t number = 0;
    if (__builtin_add_overflow(first, device.index, &number)) number = INT32_MAX;
    device.index = last = number;
    if (last == INT32_MAX) last = INT32_MAX - 1;
    numbers_[key] = number;
  }
}

int32_t Gpus::IndexOf(int64_t node, int64_t on_node) const {
  const auto at = numbers_.find({node, on_node});
  return at == numbers_.end() ? 0 : at->second;
}

std::vector<Device> Gpus::devices() const {
  std::vector<Device> all;
  all.reserve(devices_.size());
  for (const auto& [key, device] : devices_) all.push_back(device);
  return all;
}

std::string_view ProcessTables::Text(int64_t id) const {
  const auto at = strings.find(id);
  return at == strings.end() ? std::string_view() : texts[at->second];
}

uint64_t ProcessTables::CorrelationOf(int64_t event) const {
  const auto at = events.find(event);
  if (at == events.end() || at->second.correlation == 0) return 0;
  constexpr int kProcessShift = 48;
  return static_cast<uint64_t>(at->second.correlation) ^
         (static_cast<uint64_t>(number) << kProcessShift);
}

ProcessTables ReadProcessTables(const SqliteFile& file, std::string suffix, int64_t number,
                                Gpus& gpus) {
  ProcessTables tables;
  tables.suffix = std::move(suffix);
  tables.number = number;
  Loader loader(file, tables);
  loader.ReadNames();
  loader.ReadPlaces(gpus);
  loader.ReadEvents();
  return tables;
}

}  // namespace stepscope::rocpd
