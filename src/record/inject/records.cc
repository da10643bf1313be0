#include "record/inject/records.h"

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

struct Row {
  char bytes[96];
  size_t size = 0;
  template <typename T>
  void Put(T value) {
    memcpy(bytes + size, &value, sizeof value);
    size += sizeof value;
  }
};

bool HasTime(uint64_t start, uint64_t end) {
  if (start != 0 && end >= start) return true;
  ++without_time;
  return false;
}

void AddKernel(const uint8_t* record) {
  const auto start = At<uint64_t>(record, 16), end = At<uint64_t>(record, 24);
  if (!HasTime(start, end)) return;
  Row row;
  row.Put(start);
  row.Put(end);
  row.Put(At<uint32_t>(record, 40));  // device
  row.Put(At<uint32_t>(record, 48));  // stream
  row.Put(At<uint32_t>(record, 92));  // correlation
  row.Put(Intern(At<const char*>(record, 104)));
  for (const size_t at : {52, 56, 60}) row.Put(At<uint32_t>(record, at));  // grid
  for (const size_t at : {64, 68, 72}) {
    row.Put(static_cast<uint16_t>(At<uint32_t>(record, at)));  // block
  }
  row.Put(At<uint16_t>(record, 6));                              // registers
  row.Put(At<uint32_t>(record, 76) + At<uint32_t>(record, 80));  // shared memory
  row.Put(At<uint32_t>(record, 156));                            // graph
  row.Put(At<uint64_t>(record, 144));                            // its node
  AddRow(kKernels, static_cast<int64_t>(start), row.bytes, row.size);
}

// what: copy kind, kinds of source and destination memory, flags; 0xff for a memset.
void AddCopy(const uint8_t* record, uint32_t what, size_t correlation) {
  const auto start = At<uint64_t>(record, 16), end = At<uint64_t>(record, 24);
  if (!HasTime(start, end)) return;
  Row row;
  row.Put(start);
  row.Put(end);
  row.Put(At<uint32_t>(record, 32));
  row.Put(At<uint32_t>(record, 40));
  row.Put(At<uint32_t>(record, correlation));
  row.Put(what);
  row.Put(At<uint64_t>(record, 8));
  AddRow(kCopies, static_cast<int64_t>(start), row.bytes, row.size);
}

void AddCall(const Cupti& cupti, const uint8_t* record, uint32_t kind) {
  constexpr uint32_t kDriverDomain = 1, kRuntimeDomain = 2;
  const auto start = At<uint64_t>(record, 8);
  const char* name = nullptr;
  cupti.GetCallbackName(kind == kDriverCall ? kDriverDomain : kRuntimeDomain,
                        At<uint32_t>(record, 4), &name);
  // "cudaLaunchKernel_v7000": the version is CUPTI's, not the function's.
  char plain[128];
  snprintf(plain, sizeof plain, "%s", name == nullptr ? "CUDA call" : name);
  if (char* version = strstr(plain, "_v")) {
    if (kind == kRuntimeCall && version[2] >= '0' && version[2] <= '9') *version = 0;
  }
  Row row;
  row.Put(start);
  row.Put(At<uint64_t>(record, 16));
  row.Put(At<uint32_t>(record, 28));  // thread
  row.Put(At<uint32_t>(record, 32));  // correlation
  row.Put(Intern(plain));
  row.Put(At<uint32_t>(record, 36));  // what it returned
  AddRow(kCalls, static_cast<int64_t>(start), row.bytes, row.size);
}

void AddSync(const uint8_t* record) {
  const auto start = At<uint64_t>(record, 8);
  Row row;
  row.Put(start);
  row.Put(At<uint64_t>(record, 16));
  for (const size_t at : {4, 24, 28, 32}) row.Put(At<uint32_t>(record, at));
  AddRow(kSyncs, static_cast<int64_t>(start), row.bytes, row.size);
}

void AddOverhead(const uint8_t* record) {
  const auto start = At<uint64_t>(record, 24);
  Row row;
  row.Put(start);
  row.Put(At<uint64_t>(record, 32));
  row.Put(At<uint32_t>(record, 4));
  constexpr uint32_t kThreadObject = 2;
  const bool of_thread = At<uint32_t>(record, 8) == kThreadObject;
  row.Put(of_thread ? At<uint32_t>(record, 16) : uint32_t{0});
  AddRow(kOverheads, static_cast<int64_t>(start), row.bytes, row.size);
}

void AddDevice(const uint8_t* record) {
  Row row;
  row.Put(At<uint32_t>(record, 112));
  row.Put(Intern(At<const char*>(record, 136)));
  row.Put(At<uint64_t>(record, 16));                                     // memory
  row.Put(At<uint32_t>(record, 44));                                     // SMs
  row.Put(At<uint32_t>(record, 104) << 16 | At<uint32_t>(record, 108));  // compute capability
  AddRow(kDevices, NowNs(), row.bytes, row.size);
}

}  // namespace

uint64_t RecordsWithoutTime() { return without_time; }

bool AddRecord(const Cupti& cupti, const uint8_t* record) {
  const auto kind = At<uint32_t>(record, 0);
  switch (kind) {
    case kConcurrentKernel:
      AddKernel(record);
      return true;
    case kMemcpy:
    case kMemcpyPeer:
      AddCopy(record, At<uint32_t>(record, 4), kind == kMemcpy ? 44 : 60);
      return true;
    case kMemset:
      AddCopy(record, 0xff, 44);
      return true;
    case kDriverCall:
    case kRuntimeCall:
      AddCall(cupti, record, kind);
      return true;
    case kSynchronization:
      AddSync(record);
      return true;
    case kOverhead:
      AddOverhead(record);
      return true;
    case kDevice:
      AddDevice(record);
      return true;
    default:
      return false;
  }
}

}  // namespace stepscope_inject
