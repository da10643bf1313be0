#include "tools/events/events_extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "io/atomic_file.h"
#include "read/protobuf/wire.h"
#include "words/events.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts, kEventsTexts> Say;

namespace fs = std::filesystem;

// A tag as part of a file name.
std::string FileNameOf(std::string_view tag) {
  std::string name(tag.substr(0, 100));
  std::ranges::replace_if(
      name,
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x21 || byte > 0x7e || c == '/' || c == '\\' || c == ':';
      },
      '_');
  return name;
}

std::string BaseNameOf(const EmbeddedMessage& message) {
  if (message.kind == TagKind::kGraph) return "graph";
  if (message.kind == TagKind::kMetaGraph) return "meta_graph";
  return fmt::format("run_metadata_{}_step_{}", FileNameOf(message.tag), message.step);
}

std::string_view GraphOfMetaGraph(std::string_view meta_graph) {
  for (WireReader r(meta_graph); r.Next();) {
    if (r.field() == 2) return r.Bytes();
  }
  return {};
}

// Files of one folder; a name that was used gets a number.
class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {}

  void Write(const std::string& base, std::string_view bytes) {
    if (fault_) return;
    std::error_code error;
    fs::create_directories(path_, error);
    std::string name = base + ".pb";
    for (int i = 2; !used_.insert(name).second; ++i) name = fmt::format("{}_{}.pb", base, i);
    const fs::path file = path_ / name;
    if (fs::exists(file, error)) {
      fault_ = Error{ErrorCode::kCannotWrite,
                     Say("events.exists"),
                     file.string(),
                     {},
                     Say("events.choose-extract")};
      return;
    }
    if (const auto written = WriteFile(file.string(), bytes); !written) fault_ = written.error();
    lines_.push_back(Say("events.written", file.string(), bytes.size()));
  }
  const std::optional<Error>& fault() const { return fault_; }
  const Messages& lines() const { return lines_; }

 private:
  fs::path path_;
  std::set<std::string> used_;
  Messages lines_;
  std::optional<Error> fault_;
};

}  // namespace

Result<std::string> ExtractMessages(const std::vector<EventRun>& runs,
                                    const ReadRunOptions& reading, const std::string& directory,
                                    const Style& style) {
  std::string lines;
  for (const EventRun& run : runs) {
    Folder folder(fs::path(directory) / fs::path(run.name).relative_path());
    ReadRunOptions options = reading;
    options.points = ReadRunOptions::Points::kNone;
    options.embedded = [&](const EmbeddedMessage& message) {
      folder.Write(BaseNameOf(message), message.bytes);
      if (message.kind == TagKind::kMetaGraph) {
        const std::string_view graph = GraphOfMetaGraph(message.bytes);
        if (!graph.empty()) folder.Write("meta_graph.graph", graph);
      }
    };
    ReadRun(run.name, run.files, options);
    if (folder.fault()) return std::unexpected(*folder.fault());
    for (const Message& line : folder.lines()) lines += style.Say(line) + "\n";
  }
  return lines.empty() ? style.Say(Say("events.nothing-inside")) + "\n" : lines;
}

}  // namespace stepscope
