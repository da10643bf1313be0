#include "read/nsys/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "read/chrome_json/text.h"
#include "read/nsys/global_id.h"
#include "read/nsys/names.h"
#include "read/sqlite_tables.h"

namespace stepscope::nsys {
namespace {

std::string Repaired(std::string_view text) {
  std::string repaired;
  chrome_json::AppendRepairedUtf8(text, repaired);
  return repaired;
}

std::string BaseName(std::string_view path) {
  return Repaired(path.substr(path.find_last_of("/\\") + 1));
}

void ReadDevices(const SqliteFile& file, Recording& into) {
  ForEachRow(file, "TARGET_INFO_GPU",
             {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor"},
             [&](const SqliteRows& row) {
               Device device;
               device.index = static_cast<int32_t>(row.Integer(0));
               device.name = Repaired(row.Text(1));
               if (row.Integer(2) > 0) device.memory_bytes = row.Integer(2);
               if (row.Integer(3) > 0) device.sm_count = static_cast<int32_t>(row.Integer(3));
               if (!row.IsNull(4)) {
                 device.compute_capability = fmt::format("{}.{}", row.Integer(4), row.Integer(5));
               }
               const bool known = std::ranges::any_of(
                   into.devices, [&](const Device& d) { return d.index == device.index; });
               if (device.index >= 0 && !known) into.devices.push_back(std::move(device));
             });
  ForEachRow(file, "TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"},
             [&](const SqliteRows& row) {
               if (row.IsNull(2)) return;
               into.gpu[{row.Integer(0), row.Integer(1)}] = static_cast<int32_t>(row.Integer(2));
             });
  ForEachRow(file, "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"},
             [&](const SqliteRows& row) {
               into.metric_names[{row.Integer(0), row.Integer(1)}] = Repaired(row.Text(2));
             });
}

void ReadProcesses(const SqliteFile& file, Recording& into) {
  ForEachRow(file, "PROCESSES", {"globalPid", "name"}, [&](const SqliteRows& row) {
    const int64_t process = ProcessOf(row.Integer(0));
    const int64_t machine = process >> 24;
    for (const auto& [other, name] : into.process_names) {
      into.several_machines |= (other >> 24) != machine;
    }
    into.process_names[process] = BaseName(row.Text(1));
  });
  ForEachRow(file, "ThreadNames", {"globalTid", "nameId"}, [&](const SqliteRows& row) {
    const bool text = row.TypeOf(1) == SqliteRows::Type::kText;
    into.thread_names[row.Integer(0)] = text ? into.strings.Add(row.Text(1)) : row.Integer(1);
  });
  const SqliteFile::Table* calls = file.Find("CUPTI_ACTIVITY_KIND_RUNTIME");
  const SqliteFile::Table* kernels = file.Find("CUPTI_ACTIVITY_KIND_KERNEL");
  const bool unsaid = (calls != nullptr && !calls->Has("globalTid")) ||
                      (kernels != nullptr && !kernels->Has("globalPid"));
  into.names_processes = !unsaid || into.process_names.size() > 1;
}

// The version of the exporter and what the recording left out; nothing that names a person, a
// machine or a path.
void ReadFacts(const SqliteFile& file, Recording& into) {
  constexpr auto kKept = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"EXPORT_PRODUCT_VERSION", "nsys_version"},
      {"EXPORT_SCHEMA_VERSION", "nsys_schema_version"},
      {"CUDA_GRAPH_TRACE_OPTIONS:MODE", "cuda_graph_trace"},
  });
  for (const std::string_view table :
       {"META_DATA_EXPORT", "EXPORT_META_DATA", "META_DATA_CAPTURE"}) {
    ForEachRow(file, table, {"name", "value"}, [&](const SqliteRows& row) {
      for (const auto& [key, note] : kKept) {
        if (row.Text(0) == key) into.facts.notes[std::string(note)] = Repaired(row.Text(1));
      }
    });
  }
  into.facts.format = Format::kNsys;
  ForEachRow(file, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const SqliteRows& row) {
    if (row.Integer(0) > 0) into.start_unix_ns = row.Integer(0);
  });
}

// What the profiler itself warned of while it recorded.
void ReadWarnings(const SqliteFile& file, Diagnostics& diagnostics) {
  constexpr int64_t kWarning = 2;
  ForEachRow(file, "DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const SqliteRows& row) {
    if (row.Integer(0) < kWarning) return;
    diagnostics.Add(Diagnostic::kProfileReportsError, 1, std::nullopt,
                    WithoutPaths(Repaired(row.Text(1))));
  });
}

}  // namespace

std::optional<Error> StringIds::Load(const SqliteFile& file) {
  constexpr int64_t kMostDense = int64_t{1} << 24;
  return ForEachRow(file, "StringIds", {"id", "value"}, [&](const SqliteRows& row) {
    const int64_t id = row.Integer(0, -1);
    const std::string_view text = row.Text(1);
    StringId interned;
    if (chrome_json::IsValidUtf8(text)) {
      interned = texts_.Intern(text);
    } else {
      interned = texts_.Intern(Repaired(text));
    }
    if (id >= 0 && id < kMostDense && id <= static_cast<int64_t>(dense_.size()) * 2 + 65536) {
      if (static_cast<size_t>(id) >= dense_.size()) dense_.resize(static_cast<size_t>(id) + 1);
      dense_[static_cast<size_t>(id)] = interned;
    } else {
      sparse_[id] = interned;
    }
  });
}

std::string_view StringIds::operator[](int64_t id) const {
  if (id >= 0 && id < static_cast<int64_t>(dense_.size())) {
    const StringId known = dense_[static_cast<size_t>(id)];
    if (known != kEmptyString) return texts_[known];
  }
  const auto at = sparse_.find(id);
  return at == sparse_.end() ? std::string_view() : texts_[at->second];
}

int64_t StringIds::Add(std::string_view text) {
  // No table has such ids.
  const int64_t id = std::numeric_limits<int64_t>::min() + static_cast<int64_t>(sparse_.size());
  sparse_[id] = texts_.Intern(Repaired(text));
  return id;
}

uint64_t Recording::Correlation(int64_t global_id, int64_t id) const {
  return CorrelationOf(names_processes ? global_id : 0, id);
}

int32_t Recording::GpuOf(int64_t process, int64_t cuda_device) const {
  const auto at = gpu.find({process & 0xffffff, cuda_device});
  if (at != gpu.end()) return at->second;
  return static_cast<int32_t>(std::clamp<int64_t>(cuda_device, 0, INT32_MAX));
}

int64_t Recording::ProcessKey(int64_t process) const {
  return several_machines ? process : process & 0xffffff;
}

int64_t Recording::ProcessWithPid(int64_t pid) const {
  for (const auto& [process, name] : process_names) {
    if ((process & 0xffffff) == pid) return process;
  }
  return -1;
}

Result<Recording> ReadRecording(const SqliteFile& file, Diagnostics& diagnostics) {
  Recording recording;
  if (std::optional<Error> fault = recording.strings.Load(file)) {
    if (fault->code == ErrorCode::kInterrupted) return std::unexpected(std::move(*fault));
    diagnostics.Add(Diagnostic::kDatabaseDamaged, 1, std::nullopt, "StringIds");
  }
  ReadDevices(file, recording);
  ReadProcesses(file, recording);
  ReadFacts(file, recording);
  ReadWarnings(file, diagnostics);
  return recording;
}

}  // namespace stepscope::nsys
