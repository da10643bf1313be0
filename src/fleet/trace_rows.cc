#include "fleet/trace_rows.h"

#include <algorithm>
#include <utility>

#include "analyze/report.h"
#include "diff/kernel_family.h"
#include "link/step_names.h"
#include "present/words.h"
#include "trace/device_id.h"

namespace stepscope::fleet {
namespace {

std::vector<StepRow> StepsOf(const Reported& reported, uint32_t trace) {
  const std::vector<Step>& steps = reported.linked->steps.items;
  const std::optional<int64_t> epoch = reported.trace().facts.start_unix_ns;
  std::vector<StepRow> rows;
  for (size_t i = 0; i < steps.size() && i < reported.report->breakdown.size(); ++i) {
    const Step& step = steps[i];
    for (const DeviceStep& device : reported.report->breakdown[i].devices) {
      StepRow row;
      row.trace = trace;
      row.step = step.number;
      row.device = DeviceIdAt(reported.trace(), device.device);
      if (epoch) row.start_unix_ns = *epoch + step.start.ns;
      row.duration = step.duration;
      row.used = step.used();
      if (!step.used()) row.why_unused = std::string(NameOf(step.why_unused));
      row.compute = device.compute;
      row.exposed_communication = device.exposed_communication;
      row.exposed_copy = device.exposed_copy;
      row.exposed_memset = device.exposed_memset;
      row.idle = device.idle;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::optional<uint32_t> FirstEvent(const Finding& finding) {
  for (const EvidenceItem& item : finding.evidence) {
    if (!item.events.empty()) return item.events.front();
  }
  return std::nullopt;
}

// One pass over a column: findings are few.
std::optional<std::string> NameOfEvent(const Trace& trace, uint32_t event) {
  const auto at = std::ranges::find(trace.slices.event, event);
  if (at == trace.slices.event.end()) return std::nullopt;
  return std::string(trace.Name(static_cast<uint32_t>(at - trace.slices.event.begin())));
}

std::vector<FindingRow> FindingsOf(const Reported& reported, uint32_t trace) {
  std::vector<FindingRow> rows;
  if (reported.advice == nullptr) return rows;
  for (const Finding& finding : reported.advice->findings) {
    FindingRow row;
    row.trace = trace;
    row.place = static_cast<uint32_t>(rows.size()) + 1;
    row.rule = finding.rule;
    row.severity = finding.severity;
    row.confidence = finding.confidence;
    row.saving_lo = finding.saving.lo;
    row.saving_hi = finding.saving.hi;
    row.saving_likely = finding.saving.likely;
    row.step = reported.advice->unprofiled.value_or(reported.advice->step);
    Messages text(finding.title);
    text.insert(text.end(), finding.sentence.begin(), finding.sentence.end());
    row.sentence = InEnglish(text);
    if (const std::optional<uint32_t> event = FirstEvent(finding)) {
      row.event = *event;
      row.event_name = NameOfEvent(reported.trace(), *event);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<OpTotal> OpsOf(const Reported& reported, uint32_t trace) {
  const Trace& of = reported.trace();
  const std::vector<OpRow>& ops = reported.report->ops;
  std::vector<OpTotal> rows;
  OpTotal rest;
  rest.trace = trace;
  rest.name = kRest;
  for (const OpRow& op : ops) {  // by device time, host time, name
    if (rows.size() < kMostRows) {
      rows.push_back({trace, std::string(of.strings[op.name]), std::string(NameOf(op.kind)),
                      op.calls, op.device_self, op.host_self});
      continue;
    }
    rest.calls += op.calls;
    rest.device += op.device_self;
    rest.host_self += op.host_self;
  }
  if (ops.size() > kMostRows) rows.push_back(std::move(rest));
  return rows;
}

std::vector<KernelTotal> KernelsOf(const Reported& reported, uint32_t trace) {
  const Trace& of = reported.trace();
  std::vector<const KernelRow*> kernels;
  for (const KernelRow& kernel : reported.report->kernels) kernels.push_back(&kernel);
  // By time, then as the report has them.
  std::ranges::sort(kernels, [](const KernelRow* a, const KernelRow* b) {
    return a->total != b->total ? a->total > b->total : a < b;
  });
  std::vector<KernelTotal> rows;
  KernelTotal rest;
  rest.trace = trace;
  rest.name = rest.family = kRest;
  for (const KernelRow* kernel : kernels) {
    if (rows.size() == kMostRows) {
      rest.calls += kernel->calls;
      rest.total += kernel->total;
      continue;
    }
    const Kind kind = kernel->kind == Kind::kCollective ? Kind::kKernel : kernel->kind;
    const std::string_view name = of.strings[kernel->name];
    rows.push_back({trace, std::string(name), diff::FamilyName(name),
                    std::string(NameOf(kernel->category)), std::string(NameOf(kind)),
                    DeviceIdAt(of, kernel->device), kernel->calls, kernel->total, kernel->p50.ns,
                    kernel->max.ns});
  }
  if (kernels.size() > kMostRows) rows.push_back(std::move(rest));
  return rows;
}

std::vector<QualityRow> QualityOf(const Reported& reported, uint32_t trace) {
  std::vector<QualityRow> rows;
  for (const Diagnostics::Entry& entry : reported.report->quality.entries()) {
    rows.push_back({trace, std::string(CodeOf(entry.code)),
                    std::string(NameOf(SeverityOf(entry.code))), entry.count});
  }
  return rows;
}

template <typename Row>
void Append(std::vector<Row>& all, std::vector<Row> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

void AddTraceRows(const Reported& reported, uint32_t trace, FileRows& rows) {
  Append(rows.steps, StepsOf(reported, trace));
  Append(rows.findings, FindingsOf(reported, trace));
  Append(rows.ops, OpsOf(reported, trace));
  Append(rows.kernels, KernelsOf(reported, trace));
  Append(rows.collectives, CollectivesOf(reported, trace));
  Append(rows.quality, QualityOf(reported, trace));
}

}  // namespace stepscope::fleet
