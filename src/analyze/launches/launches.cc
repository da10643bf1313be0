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

// When work was handed to a stream and when it started there, both ascending.
struct StreamTimes {
  StreamQueue queue;
  std::vector<TimeNs> calls;
  std::vector<TimeNs> starts;
};

void Sweep(StreamTimes& times) {
  if (!std::ranges::is_sorted(times.calls)) std::ranges::sort(times.calls);
  StreamQueue& queue = times.queue;
  queue.pairs = times.calls.size();
  constexpr TimeNs kNever{std::numeric_limits<int64_t>::max()};
  const TimeNs first = std::min(times.calls.front(), times.starts.front());
  TimeNs now = first;
  uint64_t length = 0;
  double integral = 0;
  size_t call = 0;
  size_t start = 0;
  while (start < times.starts.size() || call < times.calls.size()) {
    const TimeNs next_call = call < times.calls.size() ? times.calls[call] : kNever;
    const TimeNs next_start = start < times.starts.size() ? times.starts[start] : kNever;
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

}  // namespace

Launches AnalyzeLaunches(const Trace& trace, const Links& links, const DeviceWork& work) {
  Launches launches;
  launches.calls = links.calls.size();
  FlatIndex index;
  std::vector<StreamTimes> streams;
  std::vector<DurationNs> delays;
  delays.reserve(work.size());
  for (const Work& item : work.all()) {
    if (item.row == kNoRow || links.launch_of[item.row] == kNoSlice) continue;
    const uint32_t call = Index(links.launch_of[item.row]);
    const DurationNs delay = std::max(DurationNs{}, item.start - trace.slices.end(call));
    delays.push_back(delay);
    launches.total_delay += delay;
    launches.max_delay = std::max(launches.max_delay, delay);
    const int32_t stream = trace.device_args[item.row].stream;
    const uint32_t at =
        index.Of(static_cast<uint64_t>(item.device) << 32 | static_cast<uint32_t>(stream));
    if (at == streams.size()) {
      StreamTimes& fresh = streams.emplace_back();
      fresh.queue.device = item.device;
      fresh.queue.stream = stream;
    }
    streams[at].calls.push_back(trace.slices.start[call]);
    streams[at].starts.push_back(item.start);
  }
  launches.pairs = delays.size();
  launches.median_delay = LowerMiddle(delays);

  std::vector<DurationNs> durations;
  durations.reserve(links.calls.size());
  for (const SliceId call : links.calls) durations.push_back(trace.slices.duration[Index(call)]);
  launches.median_call = LowerMiddle(durations);

  for (StreamTimes& times : streams) {
    Sweep(times);
    launches.queue_empty += times.queue.empty;
    launches.queue_full += times.queue.full;
    launches.queues.push_back(times.queue);
  }
  std::sort(launches.queues.begin(), launches.queues.end(),
            [](const StreamQueue& a, const StreamQueue& b) {
              return std::tie(a.device, a.stream) < std::tie(b.device, b.stream);
            });
  return launches;
}

}  // namespace stepscope
