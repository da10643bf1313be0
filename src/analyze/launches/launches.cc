#include "analyze/launches/launches.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/flat_index.h"

namespace stepscope {
namespace {

std::optional<DurationNs> LowerMiddle(std::vector<DurationNs>& values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What one stream was handed, by start.
struct StreamWork {
  StreamQueue queue;
  std::vector<uint32_t> items;  // of the device work
};

// Sweeps over when work was handed to a stream and when it started there. `call_of(i)` and
// `start_of(i)` give the i-th of these times, both ascending.
template <typename CallOf, typename StartOf>
void Sweep(size_t count, const CallOf& call_of, const StartOf& start_of, StreamQueue& queue) {
  queue.pairs = count;
  constexpr TimeNs kNever{std::numeric_limits<int64_t>::max()};
  const TimeNs first = std::min(call_of(0), start_of(0));
  TimeNs now = first;
  uint64_t length = 0;
  double integral = 0;
  size_t call = 0;
  size_t start = 0;
  while (start < count || call < count) {
    const TimeNs next_call = call < count ? call_of(call) : kNever;
    const TimeNs next_start = start < count ? start_of(start) : kNever;
    const TimeNs time = std::min(next_call, next_start);
    integral += static_cast<double>(length) * static_cast<double>((time - now).ns);
    now = time;
    if (next_call <= next_start) {
      ++call;
      queue.max = std::max(queue.max, ++length);
      if (length >= kQueueLimit) ++queue.full;
    } else {
      ++start;
      if (length > 0) --length;
      if (length == 0) ++queue.empty;
    }
  }
  if (first < now) queue.mean = integral / static_cast<double>((now - first).ns);
}

void SweepStream(const Trace& trace, const Links& links, const DeviceWork& work,
                 StreamWork& stream) {
  const size_t count = stream.items.size();
  const WorkSpan all = work.all();
  const auto item = [&](size_t i) { return all[stream.items[i]]; };
  const auto call_of = [&](size_t i) {
    return trace.slices.start[Index(links.launch_of[item(i).row])];
  };
  const auto start_of = [&](size_t i) { return item(i).start; };
  bool in_order = true;
  for (size_t i = 1; i < count && in_order; ++i) in_order = call_of(i - 1) <= call_of(i);
  if (in_order) return Sweep(count, call_of, start_of, stream.queue);
  std::vector<TimeNs> calls(count);
  for (size_t i = 0; i < count; ++i) calls[i] = call_of(i);
  std::ranges::sort(calls);
  Sweep(count, [&](size_t i) { return calls[i]; }, start_of, stream.queue);
}

}  // namespace

Launches AnalyzeLaunches(const Trace& trace, const Links& links, const DeviceWork& work) {
  Launches launches;
  launches.calls = links.calls.size();
  FlatIndex index;
  std::vector<StreamWork> streams;
  std::vector<DurationNs> delays;
  delays.reserve(work.size());
  uint64_t last_key = FlatIndex::kFree;
  uint32_t at = 0;  // the stream with that key
  for (uint32_t i = 0; i < work.size(); ++i) {
    const Work& item = work.all()[i];
    if (item.row == kNoRow || links.launch_of[item.row] == kNoSlice) continue;
    const uint32_t call = Index(links.launch_of[item.row]);
    const DurationNs delay = std::max(DurationNs{}, item.start - trace.slices.end(call));
    delays.push_back(delay);
    launches.total_delay += delay;
    launches.max_delay = std::max(launches.max_delay, delay);
    const int32_t stream = trace.device_args[item.row].stream;
    const uint64_t key = static_cast<uint64_t>(item.device) << 32 | static_cast<uint32_t>(stream);
    if (key != last_key) at = index.Of(last_key = key);
    if (at == streams.size()) {
      StreamWork& fresh = streams.emplace_back();
      fresh.queue.device = item.device;
      fresh.queue.stream = stream;
    }
    streams[at].items.push_back(i);
  }
  launches.pairs = delays.size();
  launches.median_delay = LowerMiddle(delays);

  std::vector<DurationNs> durations;
  durations.reserve(links.calls.size());
  for (const SliceId call : links.calls) durations.push_back(trace.slices.duration[Index(call)]);
  launches.median_call = LowerMiddle(durations);

  for (StreamWork& stream : streams) {
    SweepStream(trace, links, work, stream);
    launches.queue_empty += stream.queue.empty;
    launches.queue_full += stream.queue.full;
    launches.queues.push_back(stream.queue);
  }
  std::sort(launches.queues.begin(), launches.queues.end(),
            [](const StreamQueue& a, const StreamQueue& b) {
              return std::tie(a.device, a.stream) < std::tie(b.device, b.stream);
            });
  return launches;
}

}  // namespace stepscope
