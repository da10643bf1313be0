// Makes a large Kineto trace out of a real one by repeating its events with shifted times,
// correlation, external, flow and Python ids and step numbers, so that links and steps stay right.
//
//   make_trace REAL_TRACE OUTPUT.json BYTES

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "read/chrome_json/decimal.h"
#include "read/chrome_json/json_value.h"

namespace stepscope {
namespace {

using chrome_json::JsonWalk;

// What a number in an event's text is shifted by at each repetition.
enum class Shift : uint8_t { kTime, kCorrelation, kExternal, kFlow, kPython, kStep, kCount };

struct Edit {
  uint32_t at = 0;  // from the start of the event
  uint32_t size = 0;
  Shift shift = Shift::kTime;
  int64_t value = 0;  // ns for times
};

struct Event {
  std::string_view text;
  std::vector<Edit> edits;
  bool once = false;  // metadata
};

struct Model {
  std::string_view head;  // up to and with the bracket of the event list
  std::vector<Event> events;
  std::string_view tail;
  int64_t step[static_cast<size_t>(Shift::kCount)] = {};  // by which each kind of number grows
};

bool AddEdit(Event& event, std::string_view spelt, Shift shift) {
  const auto value =
      shift == Shift::kTime ? chrome_json::ParseTime(spelt) : chrome_json::ParseInteger(spelt);
  if (!value) return false;
  event.edits.push_back({static_cast<uint32_t>(spelt.data() - event.text.data()),
                         static_cast<uint32_t>(spelt.size()), shift, *value});
  return true;
}

void ReadArgs(std::string_view args, Event& event) {
  for (JsonWalk walk(args); walk.Next();) {
    if (walk.Is("correlation")) AddEdit(event, walk.value(), Shift::kCorrelation);
    if (walk.Is("External id")) AddEdit(event, walk.value(), Shift::kExternal);
    if (walk.Is("Python id") || walk.Is("Python parent id")) {
      AddEdit(event, walk.value(), Shift::kPython);
    }
  }
}

Event ReadEvent(std::string_view text) {
  constexpr std::string_view kStep = "ProfilerStep#";
  Event event;
  event.text = text;
  for (JsonWalk walk(text); walk.Next();) {
    if (walk.Is("ph")) event.once = walk.scalar() == "M";
    if (walk.Is("ts")) AddEdit(event, walk.value(), Shift::kTime);
    if (walk.Is("id")) AddEdit(event, walk.value(), Shift::kFlow);
    if (walk.Is("args")) ReadArgs(walk.value(), event);
    if (walk.Is("name") && walk.scalar().starts_with(kStep)) {
      AddEdit(event, walk.scalar().substr(kStep.size()), Shift::kStep);
    }
  }
  std::sort(event.edits.begin(), event.edits.end(),
            [](const Edit& a, const Edit& b) { return a.at < b.at; });
  return event;
}

Model ReadModel(std::string_view text) {
  Model model;
  const size_t list = text.find('[', text.find("\"traceEvents\""));
  model.head = text.substr(0, list + 1);
  int64_t low[static_cast<size_t>(Shift::kCount)];
  int64_t high[static_cast<size_t>(Shift::kCount)];
  std::fill(std::begin(low), std::end(low), INT64_MAX);
  std::fill(std::begin(high), std::end(high), INT64_MIN);
  for (JsonWalk walk(text.substr(list)); walk.Next();) {
    model.events.push_back(ReadEvent(walk.value()));
    for (const Edit& edit : model.events.back().edits) {
      const auto shift = static_cast<size_t>(edit.shift);
      low[shift] = std::min(low[shift], edit.value);
      high[shift] = std::max(high[shift], edit.value);
    }
  }
  for (size_t shift = 0; shift < static_cast<size_t>(Shift::kCount); ++shift) {
    if (low[shift] <= high[shift]) model.step[shift] = high[shift] - low[shift] + 1;
  }
  // Flows of launches carry the correlation as id: both move by the same amount.
  const int64_t ids = std::max(model.step[static_cast<size_t>(Shift::kCorrelation)],
                               model.step[static_cast<size_t>(Shift::kFlow)]);
  model.step[static_cast<size_t>(Shift::kCorrelation)] = ids;
  model.step[static_cast<size_t>(Shift::kFlow)] = ids;
  model.step[static_cast<size_t>(Shift::kTime)] += 1'000'000;
  const std::string_view last = model.events.back().text;
  model.tail = text.substr(static_cast<size_t>(last.data() + last.size() - text.data()));
  return model;
}

void AppendEvent(const Event& event, const Model& model, int64_t repetition, std::string& out) {
  uint32_t from = 0;
  char number[40];
  for (const Edit& edit : event.edits) {
    out.append(event.text, from, edit.at - from);
    const int64_t value = edit.value + repetition * model.step[static_cast<size_t>(edit.shift)];
    const int size =
        edit.shift == Shift::kTime
            ? std::snprintf(number, sizeof number, "%lld.%03lld",
                            static_cast<long long>(value / 1000),
                            static_cast<long long>(value % 1000))
            : std::snprintf(number, sizeof number, "%lld", static_cast<long long>(value));
    out.append(number, static_cast<size_t>(size));
    from = edit.at + edit.size;
  }
  out.append(event.text, from);
}

int Run(const char* input, const char* output, uint64_t bytes) {
  const Result<FileBytes> file = ReadWhole(input);
  if (!file) {
    std::fprintf(stderr, "%s: %s\n", input, InEnglish(file.error().sentence).c_str());
    return 1;
  }
  const std::string_view text(file->bytes().data(), file->bytes().size());
  const Model model = ReadModel(text);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> to(std::fopen(output, "wb"), std::fclose);
  if (to == nullptr) return 1;
  std::string out(model.head);
  uint64_t written = 0;
  bool first = true;
  for (int64_t repetition = 0; written + out.size() < bytes; ++repetition) {
    for (const Event& event : model.events) {
      if (event.once && repetition > 0) continue;
      out += first ? "\n  " : ",\n  ";
      first = false;
      AppendEvent(event, model, repetition, out);
      if (out.size() < (size_t{4} << 20)) continue;
      written += std::fwrite(out.data(), 1, out.size(), to.get());
      out.clear();
      if (written >= bytes) break;
    }
  }
  out += model.tail;
  std::fwrite(out.data(), 1, out.size(), to.get());
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: make_trace REAL_TRACE OUTPUT.json BYTES\n");
    return 2;
  }
  return stepscope::Run(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
}
