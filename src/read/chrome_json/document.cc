#include "read/chrome_json/document.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "read/chrome_json/value_skipper.h"
#include "words/quality.h"

namespace stepscope::chrome_json {
namespace {

constexpr SayFrom<kQualityTexts> Say;

constexpr std::string_view kEventsKey = "traceEvents";
// The members that matter are small; larger ones are skipped.
constexpr size_t kLargestMember = size_t{16} << 20;
constexpr size_t kLargestKey = size_t{64} << 10;

class DocumentReader {
 public:
  DocumentReader(InputWindow& input, const EventListOptions& options, TaskPool& pool,
                 Diagnostics& diagnostics, const std::function<void(ParsedChunk)>& take)
      : input_(input), options_(options), pool_(pool), diagnostics_(diagnostics), take_(take) {}

  DocumentParts Run() {
    SkipByteOrderMark();
    const std::optional<char> first = input_.Peek();
    if (first == '[') {
      parts_.bare_array = true;
      Events();
    } else if (first == '{') {
      input_.Consume(1);
      Members();
    }
    if (complete_ && input_.Peek()) {
      diagnostics_.Add(Diagnostic::kTrailingGarbage, 1, input_.offset());
    }
    return std::move(parts_);
  }

 private:
  void SkipByteOrderMark() {
    while (input_.text().size() < 3 && input_.Fill()) {
    }
    if (input_.text().starts_with("\xEF\xBB\xBF")) input_.Consume(3);
  }

  void Members() {
    while (true) {
      const std::optional<char> next = input_.Peek();
      if (!next) return Truncated();
      if (*next == ',') {
        input_.Consume(1);
      } else if (*next == '}') {
        input_.Consume(1);
        complete_ = true;
        return;
      } else if (!Member()) {
        if (stopped_ || !FindEvents()) return;
      }
    }
  }

  // One member of the object. False when the text is no member or the file has ended.
  bool Member() {
    const std::optional<std::string> key = Key();
    if (!key) return false;
    if (input_.Peek() != ':') return Fault();
    input_.Consume(1);
    const std::optional<char> value = input_.Peek();
    if (!value) return Fault();
    if (*key == kEventsKey && *value == '[') return Events();
    return Value(*key);
  }

  std::optional<std::string> Key() {
    if (input_.Peek() != '"') {
      Fault();
      return std::nullopt;
    }
    size_t end = std::string_view::npos;
    while ((end = input_.text().find('"', 1)) == std::string_view::npos) {
      if (input_.text().size() <= kLargestKey && input_.Fill()) continue;
      if (input_.at_end()) input_.Consume(input_.text().size());
      Fault();
      return std::nullopt;
    }
    std::string key(input_.text().substr(1, end - 1));
    input_.Consume(end + 1);
    return key;
  }

  bool Value(const std::string& key) {
    const bool wanted = TopLevel::Wants(key);
    std::string value;
    ValueSkipper skipper;
    bool ended = false;
    while (!ended && input_.More()) {
      const std::string_view text = input_.text();
      ended = skipper.Feed(text);
      if (wanted && value.size() < kLargestMember) value += text.substr(0, skipper.used());
      input_.Consume(skipper.used());
    }
    if (!ended) return Fault();
    if (wanted && value.size() < kLargestMember) parts_.top.Take(key, value, diagnostics_);
    return true;
  }

  // The list that `input_` stands at. False when the file ends in it.
  bool Events() {
    parts_.found_events = true;
    input_.Consume(1);
    bool bracket_missing = false;
    const ListEnd end = ReadEventList(input_, options_, pool_, [&](ParsedChunk chunk) {
      bracket_missing = chunk.bracket_missing;
      take_(std::move(chunk));
    });
    if (bracket_missing) {
      diagnostics_.Add(Diagnostic::kMalformedJson, 1, input_.offset(), Say("quality.no-bracket"));
    }
    switch (end) {
      case ListEnd::kClosed:
        complete_ = parts_.bare_array;
        return true;
      case ListEnd::kFileEnded:
        // A bare list need not be closed: writers that are killed leave it so.
        if (!parts_.bare_array) Truncated();
        break;
      case ListEnd::kFileEndedInsideEvent:
        Truncated();
        break;
    }
    stopped_ = true;
    return false;
  }

  // After a fault among the members: goes to the event list if there is one further on.
  bool FindEvents() {
    if (parts_.found_events) return false;
    constexpr std::string_view kQuoted = "\"traceEvents\"";
    while (true) {
      const size_t at = input_.text().find(kQuoted);
      if (at != std::string_view::npos) {
        input_.Consume(at);
        return true;
      }
      const size_t keep = std::min(input_.text().size(), kQuoted.size());
      input_.Consume(input_.text().size() - keep);
      if (!input_.Fill()) return false;
    }
  }

  bool Fault() {
    if (!input_.More()) {
      Truncated();
    } else {
      diagnostics_.Add(Diagnostic::kMalformedJson, 1, input_.offset(), input_.text().substr(0, 60));
    }
    return false;
  }

  void Truncated() {
    diagnostics_.Add(Diagnostic::kFileTruncated, 1, input_.offset());
    stopped_ = true;
  }

  InputWindow& input_;
  const EventListOptions& options_;
  TaskPool& pool_;
  Diagnostics& diagnostics_;
  const std::function<void(ParsedChunk)>& take_;
  DocumentParts parts_;
  bool complete_ = false;  // the document has been closed
  bool stopped_ = false;   // the file has ended
};

}  // namespace

DocumentParts ReadDocument(InputWindow& input, const EventListOptions& options, TaskPool& pool,
                           Diagnostics& diagnostics, const std::function<void(ParsedChunk)>& take) {
  return DocumentReader(input, options, pool, diagnostics, take).Run();
}

}  // namespace stepscope::chrome_json
