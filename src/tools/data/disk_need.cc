#include "tools/data/disk_need.h"

#include "words/data.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDataTexts> Say;

}  // namespace

DiskNeed NeedOf(double step_seconds, double batch, double bytes_per_record,
                std::optional<double> measured, uint64_t dataset_bytes, uint64_t memory_bytes) {
  constexpr double kComfortable = 0.8;
  DiskNeed need;
  need.step_seconds = step_seconds;
  need.batch = batch;
  need.bytes_per_record = bytes_per_record;
  need.records_per_second = batch / step_seconds;
  need.bytes_per_second = need.records_per_second * bytes_per_record;
  need.measured = measured;
  if (measured && *measured > 0) {
    need.share = need.bytes_per_second / *measured;
    using Verdict = DiskNeed::Verdict;
    need.verdict = *need.share <= kComfortable ? Verdict::kSuffices
                   : *need.share <= 1          ? Verdict::kTight
                                               : Verdict::kTooSlow;
  }
  for (const auto& [name, rate] : {std::pair<Message, double>(Say("data.disk.network"), 50e6),
                                   {Say("data.disk.spinning"), 150e6},
                                   {Say("data.disk.sata"), 500e6},
                                   {Say("data.disk.pcie"), 2000e6}}) {
    need.classes.push_back({name, rate, need.bytes_per_second <= kComfortable * rate});
  }
  need.dataset_bytes = dataset_bytes;
  need.memory_bytes = memory_bytes;
  need.fits_in_memory =
      static_cast<double>(dataset_bytes) <= kComfortable * static_cast<double>(memory_bytes);
  return need;
}

}  // namespace stepscope
