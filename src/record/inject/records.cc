#include "record/inject/records.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <initializer_list>

#include "record/inject/block_file.h"

namespace stepscope_inject {
namespace {

uint64_t without_time = 0;

// The first 208 bytes of kernel records are the same from CUDA 12.0 to 13.4; other records only
// grow at their end too.
template <typename T>
T At(const uint8_t* record, size_t offset) {
  T value;
  memcpy(&value, record + offset, sizeof value);
  return value;
}

// All that follows is used by one thread at a time.
pthread_mutex_t decoding = PTHREAD_MUTEX_INITIALIZER;

constexpr size_t kBatchBytes = size_t{256} << 10;
alignas(8) char batch[kBatchBytes];
size_t batched = 0;

void HandOver() {
  AddRows(batch, batched);
  batched = 0;
}

// A row as it grows at the end of the batch.
class Row {
 public:
  Row(BlockType type, int64_t time) : head_{time, type, 0} {
    constexpr size_t kLongest = 128;
    if (batched + kLongest > kBatchBytes) HandOver();
    at_ = batch + batched + sizeof head_;
  }
  ~Row() {
    memcpy(batch + batched, &head_, sizeof head_);
    batched += sizeof head_ + head_.size;
  }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  template <typename T>
  void Put(T value) {
    memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
    head_.size += sizeof value;
  }

 private:
  RowHead head_;
  char* at_;
};

// Names of kernels by their address, which is compared with our copy: a module that was loaded
// where another one was may have another name there.
struct KnownName {
  const char* address;
  const char* copy;
  uint32_t id;
};
constexpr size_t kKnownNames = 4096;
KnownName known_names[kKnownNames];

uint32_t NameAt(const char* address) {
  if (address == nullptr) return Intern("");
  const auto bits = reinterpret_cast<uintptr_t>(address);
  KnownName& known = known_names[((bits >> 4) ^ (bits >> 16)) % kKnownNames];
  if (known.address == address && strcmp(known.copy, address) == 0) return known.id;
  const char* copy = nullptr;
  const uint32_t id = Intern(address, &copy);
  if (copy != nullptr) known = {address, copy, id};
  return id;
}

// Names of calls by CUPTI's number, plus 1; 0 is not known yet.
constexpr uint32_t kKnownCalls = 1024;
uint32_t known_calls[2][kKnownCalls];

uint32_t CallName(const Cupti& cupti, bool driver, uint32_t number) {
  uint32_t* known = number < kKnownCalls ? &known_calls[driver ? 1 : 0][number] : nullptr;
  if (known != nullptr && *known != 0) return *known - 1;
  constexpr uint32_t kDriverDomain = 1, kRuntimeDomain = 2;
  const char* name = nullptr;
  cupti.GetCallbackName(driver ? kDriverDomain : kRuntimeDomain, number, &name);
  // "cudaLaunchKernel_v7000": the version is CUPTI's, not the function's.
  char plain[128];
  snprintf(plain, sizeof plain, "%s", name == nullptr ? "CUDA call" : name);
  char* version = driver ? nullptr : strstr(plain, "_v");
  if (version != nullptr && version[2] >= '0' && version[2] <= '9') *version = 0;
  const uint32_t id = Intern(plain);
  if (known != nullptr) *known = id + 1;
  return id;
}

bool HasTime(uint64_t start, uint64_t end) {
  if (start != 0 && end >= start) return true;
  ++without_time;
  return false;
}

void AddKernel(const uint8_t* record) {
  const auto start = At<uint64_t>(record, 16), end = At<uint64_t>(record, 24);
  if (!HasTime(start, end)) return;
  const uint32_t name = NameAt(At<const char*>(record, 104));
  Row row(kKernels, static_cast<int64_t>(start));
  row.Put(start);
  row.Put(end);
  row.Put(At<uint32_t>(record, 40));  // device
  row.Put(At<uint32_t>(record, 48));  // stream
  row.Put(At<uint32_t>(record, 92));  // correlation
  row.Put(name);
  for (const size_t at : {52, 56, 60}) row.Put(At<uint32_t>(record, at));  // grid
  for (const size_t at : {64, 68, 72}) {
    row.Put(static_cast<uint16_t>(At<uint32_t>(record, at)));  // block
  }
  row.Put(At<uint16_t>(record, 6));                              // registers
  row.Put(At<uint32_t>(record, 76) + At<uint32_t>(record, 80));  // shared memory
  row.Put(At<uint32_t>(record, 156));                            // graph
  row.Put(At<uint64_t>(record, 144));                            // its node
}

// what: copy kind, kinds of source and destination memory, flags; 0xff for a memset.
void AddCopy(const uint8_t* record, uint32_t what, size_t correlation) {
  const auto start = At<uint64_t>(record, 16), end = At<uint64_t>(record, 24);
  if (!HasTime(start, end)) return;
  Row row(kCopies, static_cast<int64_t>(start));
  row.Put(start);
  row.Put(end);
  row.Put(At<uint32_t>(record, 32));
  row.Put(At<uint32_t>(record, 40));
  row.Put(At<uint32_t>(record, correlation));
  row.Put(what);
  row.Put(At<uint64_t>(record, 8));
}

void AddCall(const Cupti& cupti, const uint8_t* record, uint32_t kind) {
  const auto start = At<uint64_t>(record, 8);
  const uint32_t name = CallName(cupti, kind == kDriverCall, At<uint32_t>(record, 4));
  Row row(kCalls, static_cast<int64_t>(start));
  row.Put(start);
  row.Put(At<uint64_t>(record, 16));
  row.Put(At<uint32_t>(record, 28));  // thread
  row.Put(At<uint32_t>(record, 32));  // correlation
  row.Put(name);
  row.Put(At<uint32_t>(record, 36));  // what it returned
}

void AddSync(const uint8_t* record) {
  const auto start = At<uint64_t>(record, 8);
  Row row(kSyncs, static_cast<int64_t>(start));
  row.Put(start);
  row.Put(At<uint64_t>(record, 16));
  for (const size_t at : {4, 24, 28, 32}) row.Put(At<uint32_t>(record, at));
}

void AddOverhead(const uint8_t* record) {
  const auto start = At<uint64_t>(record, 24);
  Row row(kOverheads, static_cast<int64_t>(start));
  row.Put(start);
  row.Put(At<uint64_t>(record, 32));
  row.Put(At<uint32_t>(record, 4));
  constexpr uint32_t kThreadObject = 2;
  const bool of_thread = At<uint32_t>(record, 8) == kThreadObject;
  row.Put(of_thread ? At<uint32_t>(record, 16) : uint32_t{0});
}

void AddDevice(const uint8_t* record) {
  const uint32_t name = Intern(At<const char*>(record, 136));
  Row row(kDevices, NowNs());
  row.Put(At<uint32_t>(record, 112));
  row.Put(name);
  row.Put(At<uint64_t>(record, 16));                                     // memory
  row.Put(At<uint32_t>(record, 44));                                     // SMs
  row.Put(At<uint32_t>(record, 104) << 16 | At<uint32_t>(record, 108));  // compute capability
}

void AddRecord(const Cupti& cupti, const uint8_t* record) {
  const auto kind = At<uint32_t>(record, 0);
  switch (kind) {
    case kConcurrentKernel:
      return AddKernel(record);
    case kMemcpy:
    case kMemcpyPeer:
      return AddCopy(record, At<uint32_t>(record, 4), kind == kMemcpy ? 44 : 60);
    case kMemset:
      return AddCopy(record, 0xff, 44);
    case kDriverCall:
    case kRuntimeCall:
      return AddCall(cupti, record, kind);
    case kSynchronization:
      return AddSync(record);
    case kOverhead:
      return AddOverhead(record);
    case kDevice:
      return AddDevice(record);
    default:
      return;
  }
}

}  // namespace

uint64_t RecordsWithoutTime() { return without_time; }

void AddRecords(const Cupti& cupti, uint8_t* buffer, size_t valid) {
  pthread_mutex_lock(&decoding);
  uint8_t* record = nullptr;
  while (valid > 0 && cupti.GetNextRecord(buffer, valid, &record) == 0) AddRecord(cupti, record);
  HandOver();
  pthread_mutex_unlock(&decoding);
}

}  // namespace stepscope_inject
