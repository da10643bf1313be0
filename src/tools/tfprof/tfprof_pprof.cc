#include "tools/tfprof/tfprof_pprof.h"

#include <array>
#include <map>
#include <tuple>

#include "read/protobuf/wire_writer.h"

namespace stepscope::tfprof {
namespace {

enum ProfileField : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kComment = 13
};
enum ValueTypeField : uint32_t { kType = 1, kUnit = 2 };
enum SampleField : uint32_t { kSampleLocation = 1, kSampleValue = 2, kSampleLabel = 3 };
enum LabelField : uint32_t { kLabelKey = 1, kLabelString = 2 };
enum LocationField : uint32_t { kLocationId = 1, kLocationLine = 4 };
enum LineField : uint32_t { kLineFunction = 1, kLineNumber = 2 };
enum FunctionField : uint32_t {
  kFunctionId = 1,
  kFunctionName = 2,
  kFunctionFile = 4,
  kFunctionStart = 5
};

struct Quantity {
  std::string_view column;
  int64_t Stats::* member;
  std::string_view unit;
  std::string_view comment;
};
constexpr std::array<Quantity, 9> kQuantities{{
    {"micros", &Stats::micros, "microseconds",
     "Sum of accelerator execution time and cpu execution time."},
    {"accelerator_micros", &Stats::accelerator_micros, "microseconds",
     "Accelerator execution time."},
    {"cpu_micros", &Stats::cpu_micros, "microseconds", "CPU execution time."},
    {"bytes", &Stats::requested_bytes, "bytes",
     "Sum of operation total memory requests, excluding deallocations."},
    {"peak_bytes", &Stats::peak_bytes, "bytes", "Sum of operation peak memory usage."},
    {"residual_bytes", &Stats::residual_bytes, "bytes",
     "Sum of operation allocated memory after finish."},
    {"output_bytes", &Stats::output_bytes, "bytes", "Sum of operation output size."},
    {"params", &Stats::parameters, "count", "Model parameters."},
    {"float_ops", &Stats::float_ops, "count",
     "Model float operations (Only available if defined)."},
}};

void Put(WireWriter& writer, uint32_t field, uint64_t value) {
  if (value != 0) writer.Varint(field, value);
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Strings, functions and call sites, each numbered in order of first use.
class Tables {
 public:
  uint64_t String(std::string_view text) {
    if (text.empty()) return 0;
    const auto [found, added] = ids_.try_emplace(std::string(text), strings_.size());
    if (added) strings_.push_back(found->first);
    return found->second;
  }

  uint64_t Location(std::string_view caller_file, int32_t line, const std::string& callee,
                    std::string_view callee_file, int32_t callee_start) {
    // Negative numbers order as the unsigned ones they are stored as.
    const auto wide = [](int32_t number) {
      return static_cast<uint64_t>(static_cast<int64_t>(number));
    };
    const auto [found, added] =
        locations_.try_emplace({std::string(caller_file), callee, wide(line)});
    Site& site = found->second;
    if (added) {
      site.id = locations_.size();
      site.function = Function(callee_file, callee, wide(callee_start));
      site.line = wide(line);
    }
    return site.id;
  }

  const std::vector<std::string>& strings() const { return strings_; }

  void WriteTo(std::string& profile) const {
    WireWriter writer(profile);
    for (const auto& [key, site] : locations_) {
      std::string line;
      WireWriter line_writer(line);
      Put(line_writer, kLineFunction, site.function);
      Put(line_writer, kLineNumber, site.line);
      std::string location;
      WireWriter location_writer(location);
      Put(location_writer, kLocationId, site.id);
      location_writer.Bytes(kLocationLine, line);
      writer.Bytes(kLocation, location);
    }
    for (const auto& [key, function] : functions_) {
      std::string out;
      WireWriter function_writer(out);
      Put(function_writer, kFunctionId, function.id);
      Put(function_writer, kFunctionName, function.name);
      Put(function_writer, kFunctionFile, function.file);
      Put(function_writer, kFunctionStart, std::get<2>(key));
      writer.Bytes(kFunction, out);
    }
  }

 private:
  struct Site {
    uint64_t id = 0;
    uint64_t function = 0;
    uint64_t line = 0;
  };
  struct Callee {
    uint64_t id = 0;
    uint64_t name = 0;
    uint64_t file = 0;
  };

  uint64_t Function(std::string_view file, const std::string& name, uint64_t start) {
    const auto [found, added] = functions_.try_emplace({std::string(file), name, start});
    Callee& function = found->second;
    if (added) {
      function.id = functions_.size();
      const std::string_view base = BaseName(file);
      function.name = String(std::string(base.substr(0, base.rfind('.'))) + ":" + name);
      function.file = String(file);
    }
    return function.id;
  }

  using Key = std::tuple<std::string, std::string, uint64_t>;
  std::map<std::string, uint64_t> ids_;
  std::vector<std::string> strings_{""};
  std::map<Key, Callee> functions_;
  std::map<Key, Site> locations_;
};

class Builder {
 public:
  Builder(const Model& model, const View& view, const Options& options, const Quantity& quantity)
      : model_(model), view_(view), options_(options), quantity_(quantity) {}

  std::string Build() {
    WalkShown();
    std::string out;
    WireWriter writer(out);
    writer.Bytes(kSampleType, ValueType("count", "count"));
    writer.Bytes(kSampleType, ValueType(quantity_.column, quantity_.unit));
    const uint64_t comment = tables_.String(quantity_.comment);
    for (const auto& [name, sample] : samples_) writer.Bytes(kSample, sample);
    tables_.WriteTo(out);
    for (const std::string& string : tables_.strings()) writer.Bytes(kStringTable, string);
    std::string comments;
    WireWriter(comments).Raw(comment);
    writer.Bytes(kComment, comments);
    return out;
  }

 private:
  std::string ValueType(std::string_view type, std::string_view unit) {
    std::string out;
    WireWriter writer(out);
    Put(writer, kType, tables_.String(type));
    Put(writer, kUnit, tables_.String(unit));
    return out;
  }

  std::string FunctionOf(const ViewNode& node) const {
    return std::string(model_.Text(node.frame->function)) + (node.gradient ? " (gradient)" : "");
  }

  // Depth first over what is shown; a call site is numbered when it is first met.
  void WalkShown() {
    struct Level {
      uint32_t row;
      size_t next = 0;
    };
    std::vector<Level> stack{{view_.root}};
    std::vector<uint64_t> calls;
    while (!stack.empty()) {
      Level& level = stack.back();
      const ViewNode& caller = view_.nodes[level.row];
      if (caller.shown_children.empty() && caller.frame != nullptr) AddSamples(level.row, calls);
      if (level.next == caller.shown_children.size()) {
        stack.pop_back();
        if (!stack.empty() && view_.nodes[stack.back().row].frame != nullptr) calls.pop_back();
        continue;
      }
      const uint32_t child = caller.shown_children[level.next++];
      if (caller.frame != nullptr) {
        const ViewNode& callee = view_.nodes[child];
        calls.push_back(tables_.Location(model_.Text(caller.frame->file), caller.frame->line,
                                         FunctionOf(callee), model_.Text(callee.frame->file),
                                         callee.frame->function_start));
      }
      stack.push_back({child});
    }
  }

  // One sample for every node that was created below the row, innermost call first.
  void AddSamples(uint32_t row, const std::vector<uint64_t>& calls) {
    std::string locations;
    WireWriter location_writer(locations);
    for (auto it = calls.rbegin(); it != calls.rend(); ++it) location_writer.Raw(*it);
    std::vector<uint32_t> stack{row};
    while (!stack.empty()) {
      const ViewNode& node = view_.nodes[stack.back()];
      stack.pop_back();
      stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
      if (!node.children.empty()) continue;
      for (const int32_t member : node.members) AddSample(member, locations);
    }
  }

  void AddSample(int32_t member, const std::string& locations) {
    const Node& node = model_.nodes()[static_cast<size_t>(member)];
    std::string name(node.name);
    while (samples_.contains(name)) name += '@';
    std::string label;
    WireWriter label_writer(label);
    Put(label_writer, kLabelKey, tables_.String("graph node:"));
    Put(label_writer, kLabelString, tables_.String(node.name));
    std::string values;
    WireWriter value_writer(values);
    value_writer.Raw(1);
    value_writer.Raw(static_cast<uint64_t>(model_.StatsOf(node, options_.step).*quantity_.member));
    std::string sample;
    WireWriter writer(sample);
    if (!locations.empty()) writer.Bytes(kSampleLocation, locations);
    writer.Bytes(kSampleValue, values);
    writer.Bytes(kSampleLabel, label);
    samples_.emplace(std::move(name), std::move(sample));
  }

  const Model& model_;
  const View& view_;
  const Options& options_;
  const Quantity& quantity_;
  Tables tables_;
  std::map<std::string, std::string> samples_;
};

}  // namespace

Result<std::string> CodePprof(const Model& model, const View& view, const Options& options) {
  if (options.select.size() != 1) {
    return Fail(ErrorCode::kUsage, "Can only select 1 attribute for pprof output.");
  }
  const std::string& select = *options.select.begin();
  for (const Quantity& quantity : kQuantities) {
    if (quantity.column == select) return Builder(model, view, options, quantity).Build();
  }
  return Fail(ErrorCode::kUsage, "pprof doesn't support -select=" + select);
}

}  // namespace stepscope::tfprof
