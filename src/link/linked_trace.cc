#include "link/linked_trace.h"

#include "link/windows.h"

namespace stepscope {
namespace {

template <typename T>
size_t BytesOf(const std::vector<T>& column) {
  return column.capacity() * sizeof(T);
}

}  // namespace

LinkedTrace LinkTrace(const Trace& trace, const StepRange& selected, TaskPool& pool) {
  LinkedTrace linked(trace);
  linked.links = FindLinks(trace, pool);
  linked.steps = FindSteps(trace, linked.links, linked.diagnostics);
  for (Step& step : linked.steps.items) {
    if (!selected.Contains(step.number)) step.why_unused = WhyUnused::kNotSelected;
  }
  linked.work = DeviceWork(trace, linked.links);
  linked.main_thread = MainThread(trace, linked.threads, linked.links, linked.steps);
  linked.windows = WindowsOf(trace, linked.work, linked.steps);
  linked.host_device = HostDevice(trace, linked.work);
  return linked;
}

size_t BytesOf(const LinkedTrace& linked) {
  const Links& links = linked.links;
  return BytesOf(links.launch_of) + BytesOf(links.method_of) + BytesOf(links.op_of_call) +
         BytesOf(links.op_of) + BytesOf(links.calls) + BytesOf(links.first) +
         BytesOf(links.device_rows) + BytesOf(links.forward_backward) +
         BytesOf(linked.steps.step_of_device) + linked.work.Bytes();
}

}  // namespace stepscope
