#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "read/tfevents/event.h"
#include "read/tfevents/run_log.h"

namespace stepscope {

// The number of a scalar in either encoding; nullopt when there is none.
std::optional<double> ScalarOf(const SummaryValue& value);

// Sums up the events of one run by tag. Owns copies of what it keeps.
class SeriesBuilder {
 public:
  explicit SeriesBuilder(const ReadRunOptions& options) : options_(options) {}

  // Only the first value of a tag carries metadata, which holds for the rest. So this must see
  // every value, also one that a restart hides.
  void NoteMetadata(const SummaryValue& value);
  void AddValue(const Event& event, const SummaryValue& value);
  // A graph or run metadata that is an event of its own.
  void AddMessage(const Event& event, TagKind kind, std::string_view tag, std::string_view bytes);
  std::vector<TagSeries> Take() { return std::move(series_); }

 private:
  static constexpr size_t kKinds = 9;
  static constexpr size_t kNone = SIZE_MAX;
  struct Tag {
    std::string plugin;
    std::string description;
    bool wanted = true;
    std::array<size_t, kKinds> series;  // by kind; kNone where there is none yet
  };

  Tag& TagOf(std::string_view name);
  TagSeries& SeriesOf(Tag& tag, std::string_view name, TagKind kind);
  void AddTensor(const Event& event, const SummaryValue& value, Tag& tag);

  const ReadRunOptions& options_;
  StringTable names_;
  std::vector<Tag> tags_;  // by StringId
  std::vector<TagSeries> series_;
};

}  // namespace stepscope
