#include "serve/profile_about.h"

#include <algorithm>
#include <map>
#include <optional>

#include "advise/finding.h"
#include "analyze/report.h"
#include "present/html/timeline_json.h"
#include "present/json_writer.h"

namespace stepscope {
namespace {

std::optional<std::string_view> OrNull(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void WriteDevices(std::span<const Reported> reports, JsonWriter& json) {
  std::map<std::string, size_t> devices;
  for (const Reported& reported : reports) {
    for (const Device& device : reported.trace().devices) {
      if (device.type == DeviceType::kCpu) continue;
      ++devices[device.name.empty() ? DeviceIdOf(device.type, device.index) : device.name];
    }
  }
  json.Key("devices");
  json.BeginArray();
  for (const auto& [name, count] : devices) {
    json.BeginObject();
    json.Field("name", name);
    json.Field("count", count);
    json.EndObject();
  }
  json.EndArray();
}

void WriteWorstFindings(const Advice* advice, JsonWriter& json) {
  constexpr size_t kMost = 3;
  json.Key("findings");
  json.BeginArray();
  const size_t shown = advice == nullptr ? 0 : std::min(kMost, advice->findings.size());
  for (size_t i = 0; i < shown; ++i) {
    const Finding& finding = advice->findings[i];
    json.BeginObject();
    json.Field("severity", NameOf(finding.severity));
    json.Field("title", finding.title);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string AboutJson(std::span<const Reported> reports, bool has_graph, Language language) {
  const Reported& first = reports.front();
  const RunFacts& facts = first.trace().facts;
  const std::optional<DurationNs> median = first.report->step_statistics.median;
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject();
  json.Field("traces", reports.size());
  json.Field("framework", OrNull(facts.framework));
  json.Field("host", OrNull(facts.host));
  json.Field("start_unix_ns", facts.start_unix_ns);
  json.Field("bound_by", NameOf(first.report->verdict.bound_by));
  json.Field("median_step_ns", median ? std::optional(median->ns) : std::nullopt);
  WriteDevices(reports, json);
  WriteWorstFindings(first.advice, json);
  WriteFacts(first.trace(), has_graph, json);
  json.EndObject();
  return out;
}

}  // namespace stepscope
