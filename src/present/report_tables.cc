#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "present/kernel_name.h"
#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"
#include "present/words.h"

// Ops, kernels, modules and shapes: which of them matter.
namespace stepscope {
namespace {

bool HasDeviceTime(const std::vector<OpRow>& ops) {
  return std::any_of(ops.begin(), ops.end(), [](const OpRow& op) { return op.device_self.ns > 0; });
}

// Rows come ordered by device time; without any, the order is by host time.
std::string OpsTable(const TextView& view, const std::vector<OpRow>& ops, bool with_shapes) {
  const bool device = HasDeviceTime(ops);
  const auto time_of = [&](const OpRow& op) { return device ? op.device_self : op.host_self; };
  std::vector<const OpRow*> rows;
  DurationNs all;
  for (const OpRow& op : ops) {
    if (op.kind != Kind::kOp) continue;
    all += time_of(op);
    if (time_of(op).ns > 0 || view.options.all) rows.push_back(&op);
  }
  if (rows.empty()) return {};
  const size_t available = rows.size();
  rows.resize(view.rows(available));
  const TimeUnit unit = UnitFor(time_of(*rows[0]));
  std::vector<Column> columns = {
      {"", Align::kLeft, Fit::kShorten},
      {device ? view.say("report.column.device-unit", NameOf(unit))
              : view.say("report.column.host-unit", NameOf(unit)),
       Align::kRight},
      {"%", Align::kRight},
      {device ? view.say("report.column.host-self") : view.say("report.column.host-total"),
       Align::kRight, Fit::kDrop},
      {view.say("report.column.calls"), Align::kRight},
      {with_shapes ? view.say("report.column.shapes") : "", Align::kLeft,
       with_shapes ? Fit::kShorten : Fit::kBar}};
  std::string what = with_shapes ? device ? view.say("report.ops-by-shape-device")
                                          : view.say("report.ops-by-shape-host")
                     : device ? view.say("report.top-ops-device")
                                 : view.say("report.top-ops-host");
  Table table(Heading(view, std::move(what), rows.size(), available), std::move(columns));
  for (const OpRow* op : rows) {
    const DurationNs time = time_of(*op);
    const double share =
        all.ns == 0 ? 0 : static_cast<double>(time.ns) / static_cast<double>(all.ns);
    table.AddRow({view.trace.strings[op->name], FormatIn(unit, time, time_of(*rows[0])),
                  FormatPercent(time.ns, all.ns),
                  FormatDuration(device ? op->host_self : op->host_total), FormatCount(op->calls),
                  with_shapes ? Cell(view.trace.strings[op->input_dims], Color::kDim)
                              : Cell::Bar(share, Color::kCyan)});
  }
  return table.Render(view.style);
}

// A row of the table: one kernel on all devices, or with --all on each.
struct ShownKernel {
  const KernelRow* row = nullptr;  // of the device on which it took the most
  DurationNs total;
  uint64_t calls = 0;
  uint64_t devices = 0;
};

std::vector<ShownKernel> ShownKernels(const TextView& view) {
  std::vector<ShownKernel> rows;
  std::map<std::pair<StringId, Kind>, size_t> known;
  for (const KernelRow& row : view.report.kernels) {
    const auto [at, is_new] = known.try_emplace({row.name, row.kind}, rows.size());
    if (is_new || view.options.all) {
      rows.push_back({&row, row.total, row.calls, 1});
      continue;
    }
    ShownKernel& shown = rows[at->second];
    shown.total += row.total;
    shown.calls += row.calls;
    ++shown.devices;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ShownKernel& a, const ShownKernel& b) { return a.total > b.total; });
  return rows;
}

}  // namespace

std::string Heading(const TextView& view, std::string what, size_t shown, size_t available) {
  return shown == available ? what : view.say("report.some-of", std::move(what), shown, available);
}

std::string OpsSection(const TextView& view) {
  if (HloTellsMore(view) && !view.options.all) return {};
  return OpsTable(view, view.report.ops, false);
}

std::string ShapesSection(const TextView& view) {
  if (!view.options.all) return {};
  return OpsTable(view, view.report.ops_by_shape, true);
}

std::string KernelsSection(const TextView& view) {
  const std::vector<KernelRow>& kernels = view.report.kernels;
  if (kernels.empty()) return {};
  DurationNs all;
  for (const KernelRow& row : kernels) all += row.total;
  const bool several = std::any_of(kernels.begin(), kernels.end(), [&](const KernelRow& row) {
    return row.device != kernels[0].device;
  });
  const std::vector<ShownKernel> rows = ShownKernels(view);
  const size_t shown = view.rows(rows.size());
  const DurationNs largest = rows[0].total;
  const TimeUnit unit = UnitFor(largest);
  Table table(Heading(view, view.say("report.kernels"), shown, rows.size()),
              {{"", Align::kLeft, Fit::kShorten},
               {std::string(NameOf(unit)), Align::kRight},
               {"%", Align::kRight},
               {view.say("report.column.calls"), Align::kRight},
               {view.say("report.column.what"), Align::kLeft, Fit::kDrop},
               {view.say("report.column.median"), Align::kRight, Fit::kDrop},
               {several ? view.say("report.column.device") : view.say("report.column.launched-by"),
                Align::kLeft, several ? Fit::kDrop : Fit::kShorten}});
  for (const ShownKernel& kernel : std::span(rows).first(shown)) {
    const KernelRow& row = *kernel.row;
    const std::string name = ShortKernelName(view.trace.strings[row.name]);
    std::string where;
    if (!several) {
      if (!row.launched_by.empty()) where = view.trace.strings[row.launched_by[0].op];
    } else if (kernel.devices == 1) {
      where = DeviceIdAt(view.trace, row.device);
    } else {
      where = view.say("report.devices-count", kernel.devices);
    }
    table.AddRow({Cell::WithShorter(name, WithTellingArgument(name)),
                  FormatIn(unit, kernel.total, largest), FormatPercent(kernel.total.ns, all.ns),
                  FormatCount(kernel.calls),
                  fmt::format("{}{}", NameOf(row.category), row.tensor_core ? " · TC" : ""),
                  FormatDuration(row.p50), Cell(std::move(where), Color::kDim)});
  }
  return table.Render(view.style);
}

std::string ModulesSection(const TextView& view) {
  // Rows are a tree in depth-first order. Its first levels tell the most; --all shows the rest.
  constexpr size_t kLevels = 3;
  constexpr std::string_view kBetween = " > ";
  const auto level_of = [&](const ScopeRow& row) {
    size_t level = 0;
    for (size_t at = row.path.find(kBetween); at != std::string::npos;
         at = row.path.find(kBetween, at + kBetween.size())) {
      ++level;
    }
    return level;
  };
  std::vector<const ScopeRow*> rows;
  DurationNs largest;
  for (const ScopeRow& row : view.report.modules) {
    if (view.options.all || level_of(row) < kLevels) rows.push_back(&row);
    largest = std::max({largest, row.device_total, row.host_total});
  }
  if (rows.empty()) return {};
  rows.resize(view.rows(rows.size()));
  const TimeUnit unit = UnitFor(largest);
  Table table(Heading(view, view.say("report.modules"), rows.size(), view.report.modules.size()),
              {{"", Align::kLeft, Fit::kShorten},
               {view.say("report.column.device-unit", NameOf(unit)), Align::kRight},
               {view.say("report.column.host-unit", NameOf(unit)), Align::kRight},
               {view.say("report.column.calls"), Align::kRight}});
  for (const ScopeRow* row : rows) {
    const size_t last = row->path.rfind(kBetween);
    const std::string name =
        std::string(2 * level_of(*row), ' ') +
        (last == std::string::npos ? row->path : row->path.substr(last + kBetween.size()));
    table.AddRow({name, FormatIn(unit, row->device_total, largest),
                  FormatIn(unit, row->host_total, largest), FormatCount(row->calls)});
  }
  return table.Render(view.style);
}

}  // namespace stepscope
