#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

enum class TagKind : uint8_t {
  kScalar,
  kHistogram,
  kText,
  kImage,
  kAudio,
  kTensor,
  kGraph,
  kMetaGraph,
  kRunMetadata,
};
std::string_view NameOf(TagKind kind);

struct ScalarPoint {
  int64_t step = 0;
  double wall_time = 0;  // seconds, as the file holds them
  double value = 0;
};

// Both encodings as one: buckets with both edges. Old ones carry sums; new ones do not.
struct Histogram {
  struct Bucket {
    double left, right, count;
  };
  double min = 0;
  double max = 0;
  double num = 0;
  std::optional<double> sum;
  std::optional<double> sum_squares;
  std::vector<Bucket> buckets;
};
struct HistogramPoint {
  int64_t step = 0;
  double wall_time = 0;
  Histogram histogram;
};
struct TextPoint {
  int64_t step = 0;
  double wall_time = 0;
  std::vector<std::string> strings;
};
struct TensorPoint {
  int64_t step = 0;
  double wall_time = 0;
  std::string type;
  std::vector<int64_t> shape;
  std::vector<double> values;  // at most kMostValues
  static constexpr size_t kMostValues = 64;
};

// One tag of one run. The summary counts what is not hidden by a restart; points are kept only
// where ReadRunOptions asks for them.
struct TagSeries {
  std::string tag;
  TagKind kind = TagKind::kTensor;
  std::string plugin;
  std::string description;
  uint64_t count = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;
  double first_wall_time = 0;
  double last_wall_time = 0;
  double last_value = 0;      // of a scalar
  std::optional<double> min;  // of its finite values
  std::optional<double> max;
  std::optional<ScalarPoint> first_not_finite;
  std::optional<ScalarPoint> last_finite_before;  // the first one that is not
  std::vector<ScalarPoint> scalars;
  std::vector<HistogramPoint> histograms;
  std::vector<TextPoint> texts;
  std::vector<TensorPoint> tensors;
};

// A writer that began again at an earlier step.
struct Restart {
  std::string file;
  uint64_t offset = 0;
  int64_t step = 0;
  double wall_time = 0;
  uint64_t hidden = 0;  // points with that step or a later one, written before
  // False: nothing was written after it that would replace them, so they are kept (TensorBoard
  // drops them).
  bool hides = true;
};
struct FileDamage {
  std::string file;
  uint64_t offset = 0;
  Messages sentence;
};
struct EventFile {
  std::string path;
  uint64_t bytes = 0;
  uint64_t events = 0;
  uint64_t cut_at = 0;
  uint64_t cut_bytes = 0;  // of a record at the end that is still being written
  uint64_t events_after_damage = 0;
};

struct RunLog {
  std::string name;
  std::vector<EventFile> files;
  std::vector<TagSeries> tags;  // in order of first appearance
  std::vector<Restart> restarts;
  std::vector<FileDamage> damage;
};

// A message inside the log that other verbs can read.
struct EmbeddedMessage {
  TagKind kind;  // kGraph, kMetaGraph or kRunMetadata
  std::string_view tag;
  int64_t step;
  std::string_view bytes;
};

struct ReadRunOptions {
  // Tags that the caller wants at all; every tag when empty.
  std::function<bool(std::string_view tag)> wanted;
  enum class Points : uint8_t { kNone, kScalars, kAll } points = Points::kNone;
  enum class Restarts : uint8_t { kHide, kKeep } restarts = Restarts::kHide;
  std::function<void(const EmbeddedMessage&)> embedded;
  std::function<void(uint64_t bytes)> read_bytes;  // for progress, now and then
};

// Reads the event files of one run, in this order. A file that cannot be opened becomes damage.
// Streams: memory is what the options keep. Reads twice only where a restart hides something.
RunLog ReadRun(std::string name, const std::vector<std::string>& files,
               const ReadRunOptions& options);

}  // namespace stepscope
