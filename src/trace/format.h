#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope {

// What wrote a trace, as far as the report tells it apart.
enum class Format : uint8_t {
  kKineto,
  kOnnxRuntime,
  kTensorFlowTimeline,
  kChrome,
  kXPlane,
  kRunMetadata,
  kNsys,
  kPerfetto,
  kRocprof,         // rocprofv3: JSON and rocpd databases
  kMemorySnapshot,  // of PyTorch's caching allocator
  kRecording        // of stepscope record, without a framework's profile
};

struct FormatFacts {
  Format format;
  std::string_view name;   // in JSON; docs/report.schema.json lists these
  std::string_view title;  // for people; empty where it is a message, report.format.NAME
};
inline constexpr auto kFormats = std::to_array<FormatFacts>({
    {Format::kKineto, "kineto", "PyTorch"},
    {Format::kOnnxRuntime, "onnxruntime", "ONNX Runtime"},
    {Format::kTensorFlowTimeline, "tensorflow_timeline", "TensorFlow"},
    {Format::kChrome, "chrome", ""},
    {Format::kXPlane, "xplane", "XPlane"},
    {Format::kRunMetadata, "run_metadata", "TensorFlow"},
    {Format::kNsys, "nsys", "Nsight Systems"},
    {Format::kPerfetto, "perfetto", "Perfetto"},
    {Format::kRocprof, "rocprof", "rocprofv3"},
    {Format::kMemorySnapshot, "memory_snapshot", ""},
    {Format::kRecording, "recording", ""},
});
static_assert([] {
  for (size_t i = 0; i < kFormats.size(); ++i) {
    if (static_cast<size_t>(kFormats[i].format) != i) return false;
  }
  return true;
}());

constexpr const FormatFacts& FactsOf(Format format) {
  return kFormats[static_cast<size_t>(format)];
}
constexpr std::string_view NameOf(Format format) { return FactsOf(format).name; }

}  // namespace stepscope
