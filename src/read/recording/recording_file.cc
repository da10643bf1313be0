#include "read/recording/recording_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "io/byte_source.h"
#include "read/recording/format.h"
#include "words/read.h"

namespace stepscope::recording {
namespace {

constexpr SayFrom<kReadTexts> Say;

// Joins the blocks of one file. Ids of strings and stacks are the writer's; a row whose id was
// never defined (its block is lost) is counted, not stored.
class Joiner {
 public:
  explicit Joiner(RecordingFile& file) : file_(file) {}

  void Add(const Block& block) {
    if (block.rows > 0 && IsTime(block.first_ns) && IsTime(block.last_ns)) {
      file_.first_ns = std::min(file_.first_ns.value_or(block.first_ns), block.first_ns);
      file_.last_ns = std::max(file_.last_ns.value_or(block.last_ns), block.last_ns);
    }
    Fields fields(block.payload);
    for (uint32_t row = 0; row < block.rows; ++row) {
      if (!AddRow(block.type, fields) || !fields.good()) return;
    }
  }

 private:
  bool AddRow(BlockType type, Fields& fields) {
    switch (type) {
      case BlockType::kStrings:
        return AddString(fields);
      case BlockType::kStacks:
        return AddStack(fields);
      case BlockType::kSamples:
        return AddSample(fields);
      case BlockType::kCounters:
        return AddCounter(fields);
      case BlockType::kClock: {
        const auto monotonic = fields.Take<int64_t>();
        const auto realtime = fields.Take<int64_t>();
        if (IsTime(monotonic) && IsTime(realtime)) file_.realtime_offset = realtime - monotonic;
        return true;
      }
      case BlockType::kFacts:
        return AddFact(fields);
      case BlockType::kLoss:
        return AddLoss(fields);
      case BlockType::kEnd:
        file_.end_ns = fields.Take<int64_t>();
        file_.end = RunEnd{.exit_code = fields.Take<int32_t>(), .signal = fields.Take<int32_t>()};
        return true;
      case BlockType::kSteps:
        return AddStep(fields);
      default:  // else a type of a later version
        return IsDeviceBlock(type) && AddDeviceRow(type, fields);
    }
  }

  bool AddString(Fields& fields) {
    const auto id = fields.Take<uint32_t>();
    const auto length = fields.Take<uint32_t>();
    strings_[id] = static_cast<uint32_t>(file_.strings.size());
    file_.strings.emplace_back(fields.Text(length));
    return true;
  }

  const std::string* StringOf(uint32_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? nullptr : &file_.strings[found->second];
  }

  bool AddStack(Fields& fields) {
    const auto id = fields.Take<uint32_t>();
    const auto caller = fields.Take<uint32_t>();
    const std::string* function = StringOf(fields.Take<uint32_t>());
    const std::string* path = StringOf(fields.Take<uint32_t>());
    const auto line = fields.Take<int32_t>();
    const auto above = stacks_.find(caller);
    if (!fields.good() || function == nullptr || path == nullptr) return fields.good();
    if (caller != kNoRow && above == stacks_.end()) return true;
    const std::string key = fmt::format("{}\n{}\n{}", *function, *path, line);
    const auto [at, added] = lines_.emplace(key, static_cast<uint32_t>(file_.lines.size()));
    if (added) file_.lines.push_back({*function, *path, line});
    stacks_[id] = static_cast<uint32_t>(file_.stacks.size());
    file_.stacks.push_back({caller == kNoRow ? kNoRow : above->second, at->second});
    return true;
  }

  bool AddSample(Fields& fields) {
    PythonSample sample;
    sample.time = {fields.Take<int64_t>()};
    sample.weight = {fields.Take<int64_t>()};
    sample.thread = fields.Take<uint64_t>();
    const auto stack = stacks_.find(fields.Take<uint32_t>());
    sample.waiting = (fields.Take<uint32_t>() & 1) != 0;
    if (!fields.good()) return false;
    ++file_.rows;
    const bool timed = IsTime(sample.time.ns) && IsTime(sample.weight.ns);
    if (stack == stacks_.end() || !timed) {
      ++file_.unusable_rows;
      return true;
    }
    sample.stack = stack->second;
    file_.samples.push_back(sample);
    return true;
  }

  bool AddCounter(Fields& fields) {
    Counter counter;
    counter.time = fields.Take<int64_t>();
    const auto name = strings_.find(fields.Take<uint32_t>());
    const auto series = strings_.find(fields.Take<uint32_t>());
    counter.value = fields.Take<double>();
    if (!fields.good()) return false;
    ++file_.rows;
    if (name == strings_.end() || series == strings_.end() || !IsTime(counter.time)) {
      ++file_.unusable_rows;
      return true;
    }
    counter.name = name->second;
    counter.series = series->second;
    file_.counters.push_back(counter);
    return true;
  }

  bool AddStep(Fields& fields) {
    RecordedStep step;
    step.start = {fields.Take<int64_t>()};
    const TimeNs end{fields.Take<int64_t>()};
    step.number = fields.Take<uint32_t>();
    step.profiled = (fields.Take<uint32_t>() & 1) != 0;
    if (!fields.good()) return false;
    ++file_.rows;
    if (!IsTime(step.start.ns) || !IsTime(end.ns) || end < step.start) {
      ++file_.unusable_rows;
      return true;
    }
    step.duration = end - step.start;
    file_.steps.push_back(step);
    return true;
  }

  // False where the block of a name is lost.
  bool Resolve(uint32_t& name) const {
    const auto found = strings_.find(name);
    if (found != strings_.end()) name = found->second;
    return found != strings_.end();
  }

  template <typename Row>
  bool ResolveLast(std::vector<Row>& rows) {
    bool known = Resolve(rows.back().name);
    if constexpr (requires { rows.back().domain; }) known = Resolve(rows.back().domain) && known;
    if (!known) rows.pop_back();
    return known;
  }

  bool AddDeviceRow(BlockType type, Fields& fields) {
    bool stored = false;
    DeviceRows& rows = file_.device_rows;
    if (!TakeDeviceRow(type, fields, rows, stored)) return false;
    if (stored && type == BlockType::kKernels) stored = ResolveLast(rows.kernels);
    if (stored && type == BlockType::kCalls) stored = ResolveLast(rows.calls);
    if (stored && type == BlockType::kRanges) stored = ResolveLast(rows.ranges);
    if (type == BlockType::kDevices) {
      if (stored) ResolveLast(rows.devices);
      return true;  // a description, no event
    }
    ++file_.rows;
    if (!stored) ++file_.unusable_rows;
    return true;
  }

  bool AddFact(Fields& fields) {
    const auto key_length = fields.Take<uint32_t>();
    const auto value_length = fields.Take<uint32_t>();
    const std::string key(fields.Text(key_length));
    const std::string value(fields.Text(value_length));
    if (!fields.good()) return false;
    std::vector<std::string>* list = key == "profile"   ? &file_.profiles
                                     : key == "missing" ? &file_.missing
                                                        : nullptr;
    if (list == nullptr) {
      file_.facts[key] = value;
    } else if (std::find(list->begin(), list->end(), value) == list->end()) {
      list->push_back(value);
    }
    return true;
  }

  bool AddLoss(Fields& fields) {
    Loss loss;
    loss.from = fields.Take<int64_t>();
    loss.to = fields.Take<int64_t>();
    loss.count = fields.Take<uint64_t>();
    loss.reason = fields.Text(fields.Take<uint32_t>());
    if (fields.good()) file_.losses.push_back(std::move(loss));
    return fields.good();
  }

  RecordingFile& file_;
  std::unordered_map<uint32_t, uint32_t> strings_, stacks_;
  std::unordered_map<std::string, uint32_t> lines_;
};

}  // namespace

int64_t RecordingFile::NumberOf(const std::string& fact, int64_t otherwise) const {
  const auto found = facts.find(fact);
  if (found == facts.end()) return otherwise;
  const std::string& text = found->second;
  int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<RecordingFile> ReadRecordingFile(const std::string& path, Diagnostics& diagnostics) {
  const Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(bytes.error());
  const std::string_view text(bytes->bytes().data(), bytes->bytes().size());
  if (!BlockScanner(text).has_header()) {
    return Fail(ErrorCode::kDamaged, Say("read.no-header"), path, Say("read.give-recording"));
  }
  return ParseRecording(text, path, diagnostics);
}

RecordingFile ParseRecording(std::string_view bytes, const std::string& path,
                             Diagnostics& diagnostics) {
  BlockScanner scanner(bytes);
  RecordingFile file;
  file.path = path;
  Joiner joiner(file);
  while (const std::optional<Block> block = scanner.Next()) joiner.Add(*block);
  if (scanner.lost_bytes() > 0) {
    diagnostics.Add(Diagnostic::kRecordingDamaged, scanner.lost_bytes(), scanner.first_loss(),
                    path);
  }
  const auto by_time = [](const auto& a, const auto& b) { return a.time < b.time; };
  std::stable_sort(file.samples.begin(), file.samples.end(), by_time);
  std::stable_sort(file.steps.begin(), file.steps.end(),
                   [](const RecordedStep& a, const RecordedStep& b) { return a.start < b.start; });
  return file;
}

}  // namespace stepscope::recording
