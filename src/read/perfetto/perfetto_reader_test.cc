#include "read/perfetto/perfetto_reader.h"

#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>

#include "read/perfetto/testing/packet_writer.h"

namespace stepscope {
namespace {

using namespace perfetto;

struct Outcome {
  Result<Trace> trace;
  Diagnostics diagnostics;
};

Outcome ReadBytes(const std::string& bytes, unsigned threads = 1) {
  TaskPool pool(threads);
  Diagnostics diagnostics;
  Result<Trace> trace = ReadPerfetto(bytes, "t.pftrace", {}, pool, diagnostics);
  return {std::move(trace), std::move(diagnostics)};
}

uint32_t Span(const Trace& trace, std::string_view name) {
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    if (trace.Name(row) == name) return row;
  }
  ADD_FAILURE() << "no span " << name;
  return 0;
}

std::string Thread(uint64_t uuid, uint64_t pid, uint64_t tid, std::string_view name) {
  return PacketBytes(
      ProtoMessage()
          .Number(kPacketSequence, 1)
          .Add(kPacketTrackDescriptor, ProtoMessage()
                                           .Number(kTrackUuid, uuid)
                                           .Add(kTrackThread, ProtoMessage()
                                                                  .Number(kThreadPid, pid)
                                                                  .Number(kThreadTid, tid)
                                                                  .Text(kThreadName, name))));
}

std::string Event(uint64_t time, ProtoMessage event, uint64_t sequence = 1, uint64_t flags = 0) {
  return PacketBytes(
      At(time, sequence).Number(kPacketSequenceFlags, flags).Add(kPacketTrackEvent, event));
}

ProtoMessage Begin(uint64_t track, std::string_view name) {
  return ProtoMessage()
      .Number(kEventType, kSliceBegin)
      .Number(kEventTrack, track)
      .Text(kEventName, name);
}
ProtoMessage End(uint64_t track) {
  return ProtoMessage().Number(kEventType, kSliceEnd).Number(kEventTrack, track);
}

// Two threads, nested slices, a counter, a flow and an instant.
std::string SmallTrace() {
  std::string bytes = Thread(7, 100, 101, "main") + Thread(8, 100, 102, "worker");
  bytes += Event(1000, Begin(7, "outer").Fixed(kEventFlow, 5));
  bytes += Event(1100, Begin(7, "inner"));
  bytes += Event(1150, End(7)) + Event(1900, End(7));
  bytes += Event(2000, Begin(8, "answer").Fixed(kEventEndingFlow, 5)) + Event(2500, End(8));
  bytes += Event(
      1200,
      ProtoMessage().Number(kEventType, kInstant).Number(kEventTrack, 7).Text(kEventName, "mark"));
  bytes += PacketBytes(ProtoMessage()
                           .Number(kPacketSequence, 1)
                           .Add(kPacketTrackDescriptor,
                                ProtoMessage()
                                    .Number(kTrackUuid, 20)
                                    .Text(kTrackName, "memory")
                                    .Number(kTrackParent, 7)
                                    .Add(kTrackCounter, ProtoMessage()
                                                            .Number(kCounterMultiplier, 1024)
                                                            .Number(kCounterIncremental, 1))));
  for (const uint64_t value : {1, 2}) {
    bytes += Event(1300 + value, ProtoMessage()
                                     .Number(kEventType, kCounter)
                                     .Number(kEventTrack, 20)
                                     .Number(kEventCounterValue, value));
  }
  return bytes;
}

TEST(PerfettoReader, SlicesCountersAndFlows) {
  const Outcome out = ReadBytes(SmallTrace());
  ASSERT_TRUE(out.trace);
  const Trace& trace = *out.trace;
  ASSERT_EQ(trace.slices.size(), 3u);
  EXPECT_EQ(trace.slices.duration[Span(trace, "outer")].ns, 900);
  EXPECT_EQ(trace.slices.duration[Span(trace, "inner")].ns, 50);
  EXPECT_EQ(trace.slices.parent[Span(trace, "inner")], SliceId{Span(trace, "outer")});
  EXPECT_EQ(trace.slices.start[Span(trace, "answer")].ns, 1000);
  ASSERT_EQ(trace.counters.size(), 2u);
  EXPECT_EQ(trace.counters[0].value, 1024);
  EXPECT_EQ(trace.counters[1].value, 3072);
  ASSERT_EQ(trace.flows.size(), 2u);
  EXPECT_EQ(trace.flows[0].phase, FlowPhase::kStart);
  EXPECT_EQ(trace.flows[1].phase, FlowPhase::kEnd);
  EXPECT_EQ(trace.flows[1].time.ns, 1000);
  EXPECT_EQ(trace.instants.size(), 1u);
  EXPECT_EQ(trace.strings[trace.tracks[0].name], "main");
  EXPECT_EQ(trace.events.in_file, 9u);
  EXPECT_EQ(trace.events.diagnosed, 0u);
}

TEST(PerfettoReader, InternedNamesBelongToTheirSequence) {
  std::string bytes;
  for (const uint64_t sequence : {1, 2}) {
    const std::string name = sequence == 1 ? "first" : "second";
    bytes += PacketBytes(
        At(10, sequence)
            .Add(kPacketInterned,
                 ProtoMessage()
                     .Add(kInternedName, ProtoMessage().Number(kIid, 1).Text(kText, name))
                     .Add(kInternedCategory, ProtoMessage().Number(kIid, 1).Text(kText, "kernel"))
                     .Add(kInternedAnnotationName,
                          ProtoMessage().Number(kIid, 4).Text(kText, "correlation")))
            .Number(kPacketSequenceFlags, kStateCleared)
            .Add(kPacketDefaults,
                 ProtoMessage().Add(kDefaultsEvent,
                                    ProtoMessage().Number(kEventTrack, 30 + sequence))));
    bytes +=
        Event(100 * sequence,
              ProtoMessage()
                  .Number(kEventType, kSliceBegin)
                  .Number(kEventNameIid, 1)
                  .Number(kEventCategoryIid, 1)
                  .Add(kEventAnnotation,
                       ProtoMessage().Number(kAnnotationNameIid, 4).Number(kAnnotationInt, 77)),
              sequence, kNeedsState);
    bytes += Event(100 * sequence + 40, ProtoMessage().Number(kEventType, kSliceEnd), sequence,
                   kNeedsState);
  }
  const Outcome out = ReadBytes(bytes);
  ASSERT_TRUE(out.trace);
  const Trace& trace = *out.trace;
  ASSERT_EQ(trace.slices.size(), 2u);
  for (const char* name : {"first", "second"}) {
    const uint32_t row = Span(trace, name);
    EXPECT_EQ(trace.slices.duration[row].ns, 40);
    EXPECT_EQ(trace.slices.kind[row], Kind::kKernel);
    EXPECT_EQ(trace.DeviceOf(row).correlation, 77u);
  }
}

TEST(PerfettoReader, ClocksMeetInSnapshots) {
  constexpr uint64_t kMonotonic = 3;
  const auto clock = [](uint64_t id, uint64_t time) {
    return ProtoMessage().Number(kClockId, id).Number(kClockTimestamp, time);
  };
  std::string bytes =
      PacketBytes(ProtoMessage()
                      .Number(kPacketSequence, 1)
                      .Add(kPacketClockSnapshot,
                           ProtoMessage()
                               .Add(kSnapshotClock, clock(kBoottime, 5000))
                               .Add(kSnapshotClock, clock(kMonotonic, 1000))
                               .Add(kSnapshotClock, clock(kRealtime, 1'700'000'000'000'005'000))));
  bytes +=
      PacketBytes(At(1200).Number(kPacketClock, kMonotonic).Add(kPacketTrackEvent, Begin(7, "a")));
  bytes += Event(5300, End(7));
  // A clock that nobody tied to the others.
  bytes += PacketBytes(At(1).Number(kPacketClock, 70).Add(kPacketTrackEvent, Begin(7, "lost")));
  const Outcome out = ReadBytes(bytes);
  ASSERT_TRUE(out.trace);
  EXPECT_EQ(out.trace->slices.duration[Span(*out.trace, "a")].ns, 100);
  EXPECT_EQ(out.trace->facts.start_unix_ns, 1'700'000'000'000'005'200);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kEventWithoutTime), 1u);
  EXPECT_EQ(out.trace->events.in_file, 3u);
  EXPECT_EQ(out.trace->events.diagnosed, 1u);
}

TEST(PerfettoReader, AfterALossNothingIsTakenForSomethingElse) {
  std::string bytes = Event(100, Begin(7, "good")) + Event(200, End(7));
  bytes += PacketBytes(
      At(300)
          .Number(kPacketDropped, 1)
          .Number(kPacketSequenceFlags, kNeedsState)
          .Add(kPacketTrackEvent,
               ProtoMessage().Number(kEventType, kSliceBegin).Number(kEventNameIid, 1)));
  bytes += PacketBytes(At(400)
                           .Number(kPacketSequenceFlags, kStateCleared)
                           .Add(kPacketTrackEvent, Begin(7, "again")));
  bytes += Event(450, End(7));
  const Outcome out = ReadBytes(bytes);
  ASSERT_TRUE(out.trace);
  EXPECT_EQ(out.trace->slices.size(), 2u);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kProfileReportsLoss), 1u);
}

TEST(PerfettoReader, RenderStagesAreLinkedToTheCallThatSubmittedThem) {
  std::string bytes =
      PacketBytes(At(0)
                      .Number(kPacketSequenceFlags, kStateCleared)
                      .Add(kPacketInterned,
                           ProtoMessage()
                               .Add(kInternedGpuSpecification,
                                    ProtoMessage().Number(kIid, 1).Text(kText, "queue 3"))
                               .Add(kInternedKernel, ProtoMessage()
                                                         .Number(kIid, 1)
                                                         .Text(kKernelMangled, "_Z4gemm")
                                                         .Text(kKernelDemangled, "gemm(float*)"))));
  bytes += Event(
      20, Begin(7, "cuLaunchKernel").Add(kEventGpuLink, ProtoMessage().Number(kLinkSubmitted, 0)));
  bytes += Event(22, End(7));
  bytes += PacketBytes(At(100).Add(
      kPacketRenderStage,
      ProtoMessage()
          .Number(kStageEventId, 0)
          .Number(kStageDuration, 50)
          .Number(kStageQueue, 1)
          .Number(kStageKernel, 1)
          .Add(kStageLaunch,
               ProtoMessage().Add(kLaunchGrid,
                                  ProtoMessage().Number(1, 256).Number(2, 1).Number(3, 1)))));
  const Outcome out = ReadBytes(bytes);
  ASSERT_TRUE(out.trace);
  const Trace& trace = *out.trace;
  const uint32_t kernel = Span(trace, "gemm(float*)");
  const uint32_t call = Span(trace, "cuLaunchKernel");
  EXPECT_EQ(trace.slices.kind[kernel], Kind::kKernel);
  EXPECT_EQ(trace.slices.kind[call], Kind::kCall);
  EXPECT_EQ(trace.DeviceOf(kernel).correlation,
            trace.call_args[trace.slices.args[call]].correlation);
  EXPECT_EQ(trace.DeviceOf(kernel).grid[0], 256u);
  EXPECT_EQ(trace.tracks[Index(trace.TrackOf(kernel))].kind, TrackKind::kStream);
}

TEST(PerfettoReader, CompressedPacketsReadTheSame) {
  const std::string plain = SmallTrace();
  std::string zstd(ZSTD_compressBound(plain.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), plain.data(), plain.size(), 1));
  const Outcome expected = ReadBytes(plain);
  const Outcome out = ReadBytes(PacketBytes(ProtoMessage().Text(kPacketZstd, zstd)));
  ASSERT_TRUE(expected.trace && out.trace);
  EXPECT_EQ(out.trace->slices.size(), expected.trace->slices.size());
  EXPECT_EQ(out.trace->counters.size(), expected.trace->counters.size());

  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  std::string deflated(plain.size() + 512, '\0');
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uint32_t>(plain.size());
  stream.next_out = reinterpret_cast<uint8_t*>(deflated.data());
  stream.avail_out = static_cast<uint32_t>(deflated.size());
  ASSERT_EQ(isal_deflate_stateless(&stream), COMP_OK);
  deflated.resize(stream.total_out);
  const Outcome zlib = ReadBytes(PacketBytes(ProtoMessage().Text(kPacketDeflated, deflated)));
  ASSERT_TRUE(zlib.trace);
  EXPECT_EQ(zlib.trace->slices.size(), expected.trace->slices.size());
}

TEST(PerfettoReader, SchedulingIsShownByCpu) {
  const auto turn = [](uint64_t time, uint64_t pid, std::string_view name) {
    return ProtoMessage()
        .Number(kFtraceTimestamp, time)
        .Add(kFtraceSwitch, ProtoMessage().Text(kSwitchNextComm, name).Number(kSwitchNextPid, pid));
  };
  const std::string bytes =
      PacketBytes(At(0).Add(kPacketFtrace, ProtoMessage()
                                               .Number(kFtraceCpu, 3)
                                               .Add(kFtraceEvent, turn(100, 42, "python"))
                                               .Add(kFtraceEvent, turn(350, 0, "swapper"))
                                               .Add(kFtraceEvent, turn(400, 43, "bash"))
                                               .Add(kFtraceEvent, turn(410, 42, "python"))));
  const Outcome out = ReadBytes(bytes);
  ASSERT_TRUE(out.trace);
  ASSERT_EQ(out.trace->slices.size(), 2u);
  EXPECT_EQ(out.trace->slices.duration[Span(*out.trace, "python [42]")].ns, 250);
  EXPECT_EQ(out.trace->slices.duration[Span(*out.trace, "bash [43]")].ns, 10);
}

TEST(PerfettoReader, ACutFileIsGoodUpToTheCut) {
  const std::string bytes = SmallTrace();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Outcome out = ReadBytes(bytes.substr(0, size));
    if (!out.trace) {
      EXPECT_FALSE(out.trace.error().sentence.empty());
      continue;
    }
    EXPECT_LE(out.trace->slices.size(), 3u);
  }
}

TEST(PerfettoReader, BytesThatChangeNeverCrash) {
  const std::string bytes = SmallTrace();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      const Outcome out = ReadBytes(changed);
      EXPECT_TRUE(out.trace || !out.trace.error().sentence.empty());
    }
  }
}

// Packets of a track out of order, and ends that are not of the innermost slice: the slices are
// those that sorted begins and ends give.
TEST(PerfettoReader, SlicesInAnyOrderOfPackets) {
  const std::string thread = Thread(7, 100, 101, "main");
  const Outcome sorted =
      ReadBytes(thread + Event(1000, Begin(7, "outer")) + Event(1100, Begin(7, "inner")) +
                Event(1150, End(7)) + Event(1900, End(7)));
  const Outcome mixed = ReadBytes(thread + Event(1900, End(7)) + Event(1000, Begin(7, "outer")) +
                                  Event(1150, End(7)) + Event(1100, Begin(7, "inner")));
  ASSERT_TRUE(sorted.trace && mixed.trace);
  ASSERT_EQ(mixed.trace->slices.size(), 2u);
  for (const char* name : {"outer", "inner"}) {
    EXPECT_EQ(mixed.trace->slices.duration[Span(*mixed.trace, name)].ns,
              sorted.trace->slices.duration[Span(*sorted.trace, name)].ns);
  }
  EXPECT_EQ(mixed.trace->events.in_file, 4u);
  EXPECT_EQ(mixed.diagnostics.CountOf(Diagnostic::kUnmatchedEnd), 0u);

  // "outer" ends while "inner" is open.
  const Outcome crossed =
      ReadBytes(thread + Event(1000, Begin(7, "outer")) + Event(1100, Begin(7, "inner")) +
                Event(1900, End(7).Text(kEventName, "outer")));
  ASSERT_TRUE(crossed.trace);
  EXPECT_EQ(crossed.trace->slices.duration[Span(*crossed.trace, "outer")].ns, 900);
  EXPECT_EQ(crossed.diagnostics.CountOf(Diagnostic::kUnmatchedBegin), 1u);
}

TEST(PerfettoReader, SlicesWithoutABeginOrAnEnd) {
  const Outcome out = ReadBytes(Thread(7, 100, 101, "main") + Event(900, End(7)) +
                                Event(1000, Begin(7, "open")) + Event(1100, Begin(7, "closed")) +
                                Event(1150, End(7)) + Event(1500, Begin(7, "last")));
  ASSERT_TRUE(out.trace);
  ASSERT_EQ(out.trace->slices.size(), 3u);
  EXPECT_EQ(out.trace->slices.duration[Span(*out.trace, "closed")].ns, 50);
  EXPECT_EQ(out.trace->slices.duration[Span(*out.trace, "open")].ns, 500);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kUnmatchedBegin), 2u);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kUnmatchedEnd), 1u);
}

// Two writers call their counters 1: each has its own names.
TEST(PerfettoReader, CountersOfGpusByTheNumberOfTheirDescriptor) {
  std::string bytes;
  for (const uint64_t sequence : {1, 2}) {
    const ProtoMessage spec = ProtoMessage().Number(1, 1).Text(
        2, sequence == 1 ? "sm__cycles_active.avg" : "dram__bytes.sum");
    bytes += PacketBytes(
        At(10, sequence)
            .Number(kPacketSequenceFlags, 1)
            .Add(kPacketInterned,
                 ProtoMessage().Add(kInternedGpuCounters,
                                    ProtoMessage()
                                        .Number(kIid, 5)
                                        .Add(kGpuCountersDescriptor, ProtoMessage().Add(1, spec))
                                        .Number(kGpuCountersGpu, sequence - 1))));
    bytes += PacketBytes(At(20 + sequence, sequence)
                             .Add(kPacketGpuCounters,
                                  ProtoMessage()
                                      .Number(kGpuCounterDescriptorIid, 5)
                                      .Add(kGpuCounterValues,
                                           ProtoMessage().Number(1, 1).Number(2, 70 + sequence))));
  }
  const Outcome out = ReadBytes(bytes);
  ASSERT_TRUE(out.trace);
  const Trace& trace = *out.trace;
  ASSERT_EQ(trace.counters.size(), 2u);
  EXPECT_EQ(trace.strings[trace.counters[0].name], "sm__cycles_active.avg");
  EXPECT_EQ(trace.strings[trace.counters[0].series], "GPU 0");
  EXPECT_EQ(trace.counters[0].value, 71);
  EXPECT_EQ(trace.strings[trace.counters[1].name], "dram__bytes.sum");
  EXPECT_EQ(trace.strings[trace.counters[1].series], "GPU 1");
}

TEST(PerfettoReader, MarksFrequenciesAndOtherEventsOfTheKernel) {
  const auto event = [](uint64_t time, uint32_t field, const ProtoMessage& message) {
    return ProtoMessage()
        .Number(kFtraceTimestamp, time)
        .Number(kFtracePid, 101)
        .Add(field, message);
  };
  const auto print = [&](uint64_t time, std::string_view text) {
    return event(time, kFtracePrint, ProtoMessage().Text(kPrintText, text));
  };
  constexpr uint32_t kSchedWaking = 20;
  const ProtoMessage bundle =
      ProtoMessage()
          .Number(kFtraceCpu, 3)
          .Add(kFtraceEvent, print(1000, "B|100|load|batch\n"))
          .Add(kFtraceEvent, print(1400, "E|100\n"))
          .Add(kFtraceEvent, print(1450, "C|100|queued|7\n"))
          .Add(kFtraceEvent, print(1460, "hello\n"))
          .Add(kFtraceEvent,
               event(1500, kFtraceCpuFrequency,
                     ProtoMessage().Number(kFrequencyKhz, 2'100'000).Number(kFrequencyCpu, 3)))
          .Add(kFtraceEvent, event(1600, kSchedWaking, ProtoMessage().Number(2, 9)));
  const Outcome out = ReadBytes(PacketBytes(At(0).Add(kPacketFtrace, bundle)));
  ASSERT_TRUE(out.trace);
  const Trace& trace = *out.trace;
  EXPECT_EQ(trace.slices.duration[Span(trace, "load|batch")].ns, 400);
  ASSERT_EQ(trace.counters.size(), 2u);
  EXPECT_EQ(trace.counters[0].value, 7);
  EXPECT_EQ(trace.counters[1].value, 2'100'000);
  EXPECT_EQ(trace.strings[trace.counters[1].series], "CPU 3");
  EXPECT_EQ(trace.instants.size(), 1u);
  EXPECT_EQ(trace.events.in_file, 6u);
  EXPECT_EQ(trace.events.diagnosed, 1u);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kUnknownFields), 1u);
}

}  // namespace
}  // namespace stepscope
