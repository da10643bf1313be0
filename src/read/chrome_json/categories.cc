#include "read/chrome_json/categories.h"

#include "read/chrome_json/key_table.h"

namespace stepscope::chrome_json {
namespace {

using enum Dialect;
constexpr Category kKinetoOp{Kind::kOp, TrackKind::kThread, kKineto};
constexpr Category kKinetoCall{Kind::kCall, TrackKind::kThread, kKineto};
constexpr Category kKinetoKernel{Kind::kKernel, TrackKind::kStream, kKineto};
constexpr Category kKinetoCopy{Kind::kCopy, TrackKind::kStream, kKineto};
constexpr Category kKinetoMemset{Kind::kMemset, TrackKind::kStream, kKineto};
// It gets a row of its own, because it overlaps the kernels of its stream without enclosing them.
constexpr Category kKinetoSync{Kind::kSync, TrackKind::kOther, kKineto};
constexpr Category kKinetoOther{Kind::kOther, TrackKind::kThread, kKineto};

constexpr KeyWord<Category> kWords[] = {
    // PyTorch (Kineto) today.
    {"cpu_op", kKinetoOp},
    {"user_annotation", {Kind::kAnnotation, TrackKind::kThread, kKineto}},
    {"gpu_user_annotation", {Kind::kDeviceAnnotation, TrackKind::kStream, kKineto}},
    {"python_function", {Kind::kPythonFrame, TrackKind::kThread, kKineto}},
    {"cuda_runtime", kKinetoCall},
    {"cuda_driver", kKinetoCall},
    {"hip_runtime", kKinetoCall},
    {"hip_driver", kKinetoCall},
    {"xpu_runtime", kKinetoCall},
    {"xpu_driver", kKinetoCall},
    {"mtia_runtime", kKinetoCall},
    {"glow_runtime", kKinetoCall},
    {"privateuse1_runtime", kKinetoCall},
    {"privateuse1_driver", kKinetoCall},
    {"kernel", kKinetoKernel},
    {"hpu_op", kKinetoKernel},
    {"mtia_ccp_events", kKinetoKernel},
    {"gpu_memcpy", kKinetoCopy},
    {"gpu_memset", kKinetoMemset},
    {"cuda_sync", kKinetoSync},
    {"xpu_sync", kKinetoSync},
    {"overhead", {Kind::kOverhead, TrackKind::kThread, kKineto}},
    {"Trace", kKinetoOther},
    {"cuda_event", kKinetoOther},
    {"external_correlation", kKinetoOther},
    {"mtia_insight", kKinetoOther},
    {"cuda_profiler_range", kKinetoOther},
    {"xpu_scope_profiler", kKinetoOther},
    {"collective_comm", kKinetoOther},
    {"hardware_counters", kKinetoOther},
    // PyTorch of 2021. ONNX Runtime's GPU kernels have the category "Kernel", too.
    {"Operator", kKinetoOp},
    {"Runtime", kKinetoCall},
    {"Kernel", {Kind::kKernel, TrackKind::kStream, kNone}},
    {"Memcpy", kKinetoCopy},
    {"Memset", kKinetoMemset},
    // Intel's unitrace; names tell copies from kernels.
    {"gpu_op", {Kind::kKernel, TrackKind::kStream, kNone}},
    // ONNX Runtime.
    {"Session", {Kind::kAnnotation, TrackKind::kThread, kOnnxRuntime}},
    {"Node", {Kind::kOp, TrackKind::kThread, kOnnxRuntime}},
    {"Api", {Kind::kCall, TrackKind::kThread, kOnnxRuntime}},
    // TensorFlow's timeline.py; the names of rows say which are devices.
    {"Op", {Kind::kOther, TrackKind::kThread, kTensorFlow}},
    {"Tensor", {Kind::kOther, TrackKind::kThread, kTensorFlow}},
};
constexpr KeyTable kCategories(kWords);

}  // namespace

Category CategoryOf(std::string_view spelt) {
  return kCategories.Find(spelt.data(), spelt.size(), Category{});
}

Kind KindByName(Kind of_category, std::string_view name) {
  switch (of_category) {
    case Kind::kOp:
    case Kind::kAnnotation:
      return name.starts_with("ProfilerStep#") ? Kind::kStep : of_category;
    case Kind::kPythonFrame:
      return name.starts_with("nn.Module: ") ? Kind::kModuleFrame : of_category;
    default:
      return of_category;
  }
}

}  // namespace stepscope::chrome_json
