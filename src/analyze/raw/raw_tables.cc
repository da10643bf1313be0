#include "analyze/raw/raw_tables.h"

#include <array>

#include "analyze/raw/execution_columns.h"
#include "analyze/raw/other_columns.h"
#include "analyze/raw/slice_columns.h"
#include "analyze/raw/track_columns.h"
#include "analyze/raw/work_columns.h"

namespace stepscope::tables {
namespace {

template <typename Rows>
uint32_t SizeOf(const Rows& rows) {
  return static_cast<uint32_t>(rows.size());
}

}  // namespace

std::span<const RawTable> RawTables() {
  static constexpr auto kTables = std::to_array<RawTable>({
      {{"trace", {"a trace: one file or rank", "一个 trace：一个文件或一个 rank"}, kTraceColumns},
       [](const TraceRows&) { return 1u; }},
      {{"process", {"a process", "一个进程"}, kProcessColumns},
       [](const TraceRows& t) { return SizeOf(t.trace().processes); }},
      {{"thread", {"a thread", "一个线程"}, kThreadColumns},
       [](const TraceRows& t) { return SizeOf(t.threads()); }},
      {{.name = "track",
        .meaning = {"a thread, a stream or another row of the timeline",
                    "一个线程、流或时间线上的其他行"},
        .columns = kTrackColumns,
        .python = "tracks"},
       [](const TraceRows& t) { return SizeOf(t.trace().tracks); }},
      {{.name = "slice",
        .meaning = {"a span, by track and start", "一个时间段，按行与开始时间排序"},
        .columns = kSliceColumns,
        .python = "slices"},
       [](const TraceRows& t) { return t.trace().slices.size(); }},
      {{"op",
        {"a call of a framework op, or an annotation", "框架算子的一次调用，或一个标注"},
        kRawOpColumns},
       [](const TraceRows& t) { return SizeOf(t.ops()); }},
      {{"call", {"a runtime or driver call", "一次运行时或驱动调用"}, kRawCallColumns},
       [](const TraceRows& t) { return SizeOf(t.calls()); }},
      {{"kernel",
        {"a piece of device work: kernel, copy, memset, collective",
         "一个设备任务：内核、拷贝、置零或集合通信"},
        kRawKernelColumns},
       [](const TraceRows& t) { return SizeOf(t.device_work()); }},
      {{"collective", {"a collective on a device", "设备上的一次集合通信"}, kRawCollectiveColumns},
       [](const TraceRows& t) { return SizeOf(t.collectives()); }},
      {{"flow", {"an arrow between two slices", "两个 slice 之间的箭头"}, kFlowColumns},
       [](const TraceRows& t) { return SizeOf(t.flows()); }},
      {{"counter", {"a sample of a counter", "计数器的一个采样"}, kRawCounterColumns},
       [](const TraceRows& t) { return SizeOf(t.trace().counters); }},
      {{"counter_track", {"a series of a counter", "计数器的一个序列"}, kCounterTrackColumns},
       [](const TraceRows& t) { return SizeOf(t.counter_tracks()); }},
      {{"memory", {"an allocation or a free", "一次内存分配或释放"}, kRawMemoryColumns},
       [](const TraceRows& t) { return SizeOf(t.trace().allocations); }},
      {{"step", {"a step", "一步"}, kRawStepColumns},
       [](const TraceRows& t) { return SizeOf(t.steps().items); }},
      {{"idle",
        {"a stretch of idle time with one cause", "一段由同一原因造成的空闲"},
        kRawIdleColumns},
       [](const TraceRows& t) { return SizeOf(t.idle_rows()); }},
      {{"execution_node",
        {"a call in PyTorch's execution trace of the same run", "PyTorch 执行记录中的一次调用"},
        kExecutionNodeColumns},
       [](const TraceRows& t) { return SizeOf(t.execution().nodes); }},
      {{"tensor_use", {"a tensor that a call was given", "一次调用用到的张量"}, kTensorUseColumns},
       [](const TraceRows& t) { return SizeOf(t.execution().tensors); }},
      {{"strings", {"a text that rows refer to", "各行引用的文本"}, kStringColumns},
       [](const TraceRows& t) { return t.trace().strings.size(); }},
  });
  return kTables;
}

const RawTable* FindRawTable(std::string_view name) {
  for (const RawTable& table : RawTables()) {
    if (table.facts.name == name) return &table;
  }
  return nullptr;
}

}  // namespace stepscope::tables
