#include "read/chrome_json/chrome_json_reader.h"

#include <gmock/gmock.h>

#include <string>

#include "read/chrome_json/testing/read_text.h"

namespace stepscope::chrome_json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// One complete event; times in us.
std::string Span(const std::string& name, int ts, int dur, const std::string& more = "") {
  return R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","pid":1,"tid":2,"ts":)" +
         std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + more + "}";
}
std::string Document(const std::string& events) {
  return R"({"schemaVersion":1,"traceEvents":[)" + events + "]}";
}
std::vector<std::string> Names(const Trace& trace) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < trace.slices.size(); ++i) names.emplace_back(trace.Name(i));
  return names;
}
std::vector<std::string> Codes(const Diagnostics& diagnostics) {
  std::vector<std::string> codes;
  for (const auto& entry : diagnostics.entries()) codes.emplace_back(CodeOf(entry.code));
  return codes;
}

TEST(ReadChromeJson, ReadsEveryContainer) {
  const std::string events = Span("a", 0, 5) + ",\n" + Span("b", 6, 1);
  for (const std::string& text :
       {Document(events), "[" + events + "]", "[" + events, "[" + events + ",", "[" + events + ",]",
        "\xEF\xBB\xBF [" + events + "]\n\n",
        R"({"traceEvents":[)" + events + R"(],"displayTimeUnit":"ms"})",
        R"({"a":{"b":[1,{"c":"]}"}]},"traceEvents" : [)" + events + R"(] , "z" : null })"}) {
    const ReadAnswer answer = ReadText(text);
    ASSERT_TRUE(answer.trace.has_value()) << text;
    EXPECT_THAT(Names(*answer.trace), ElementsAre("a", "b")) << text;
    EXPECT_THAT(answer.diagnostics.entries(), ::testing::IsEmpty()) << text;
    EXPECT_EQ(answer.trace->events.in_file, 2U);
  }
}

TEST(ReadChromeJson, TakesFactsFromAnywhereAndNoSecrets) {
  const ReadAnswer answer =
      ReadText(R"({"traceEvents":[)" + Span("a", 1, 5) +
               R"(],"environment":{"AWS_SECRET":"hunter2"},"host_name":"box","record_shapes":1,
      "deviceProperties":[{"id":0,"name":"NVIDIA H200","totalGlobalMem":150109880320,
      "computeMajor":9,"computeMinor":0,"numSms":132}],
      "distributedInfo":{"backend":"nccl","rank":3,"world_size":8,"pg_config":[{"ranks":[0]}]},
      "cuda_driver_version":13000,"baseTimeNanoseconds":1790857026000000000})");
  ASSERT_TRUE(answer.trace.has_value());
  const RunFacts& facts = answer.trace->facts;
  EXPECT_EQ(facts.format, Format::kKineto);
  EXPECT_EQ(facts.framework, "PyTorch");
  EXPECT_EQ(facts.host, "box");
  EXPECT_EQ(facts.rank, 3);
  EXPECT_EQ(facts.world_size, 8);
  EXPECT_TRUE(facts.has_shapes);
  EXPECT_FALSE(facts.has_stacks);
  EXPECT_EQ(facts.start_unix_ns, 1790857026000001000);
  EXPECT_THAT(facts.notes,
              UnorderedElementsAre(Pair("backend", "nccl"), Pair("cuda_driver_version", "13000"),
                                   Pair("process_groups", R"([{"ranks":[0]}])")));
  // The GPU the file names, and the host, because nothing ran on the GPU.
  ASSERT_EQ(answer.trace->devices.size(), 2U);
  EXPECT_EQ(answer.trace->devices[1].type, DeviceType::kCpu);
  EXPECT_EQ(answer.trace->devices[0].name, "NVIDIA H200");
  EXPECT_EQ(answer.trace->devices[0].memory_bytes, 150109880320);
  EXPECT_EQ(answer.trace->devices[0].compute_capability, "9.0");
  EXPECT_EQ(answer.trace->devices[0].sm_count, 132);
  EXPECT_THAT(Dump(*answer.trace), ::testing::Not(HasSubstr("hunter2")));
}

TEST(ReadChromeJson, EveryPhaseIsStored) {
  const std::string at = R"(,"pid":1,"tid":1,"ts":)";
  std::string events;
  const auto add = [&](const std::string& phase, const std::string& more) {
    events += (events.empty() ? "" : ",") + (R"({"name":"n","cat":"c","ph":")" + phase) + "\"" +
              at + "10" + more + "}";
  };
  add("X", R"(,"dur":1)");
  add("B", "");
  add("E", "");
  for (const char* instant : {"i", "I", "R", "P", "N", "O", "D", "V", "v", "c", "(", ")", "="}) {
    add(instant, R"(,"id":1)");
  }
  add("C", R"(,"args":{"x":1.5,"":2,"z":"no"})");
  for (const char* flow : {"s", "t", "f"}) add(flow, R"(,"id":"0x1f")");
  for (const char* async : {"b", "n", "e", "S", "T", "p", "F"}) add(async, R"(,"id":7)");
  events += R"(,{"name":"num_cpus","ph":"M","pid":1,"args":{"number":8}})";
  add("?", "");
  add("XX", "");
  const ReadAnswer answer = ReadText("[" + events + "]");
  ASSERT_TRUE(answer.trace.has_value());
  const Trace& trace = *answer.trace;
  EXPECT_EQ(trace.events.in_file, 30U);
  EXPECT_EQ(trace.events.diagnosed, 2U);
  EXPECT_EQ(answer.diagnostics.CountOf(Diagnostic::kUnknownPhase), 2U);
  EXPECT_EQ(trace.events.by_phase.at("?"), 1U);
  EXPECT_EQ(trace.events.by_phase.at("XX"), 1U);
  EXPECT_EQ(trace.slices.size(), 4U);     // X, B+E, b+e, S+F
  EXPECT_EQ(trace.instants.size(), 16U);  // 13, and n, T, p
  EXPECT_EQ(trace.counters.size(), 2U);
  EXPECT_EQ(trace.flows.size(), 3U);
  EXPECT_EQ(trace.flows[0].id, 0x1fU);
}

TEST(ReadChromeJson, MemoryInstantsAreAllocations) {
  const ReadAnswer answer = ReadText(Document(
      R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":2,"ts":5.5,
      "args":{"Total Reserved":2097152,"Total Allocated":512,"Bytes":-512,"Addr":140215131930624,
      "Device Id":1,"Device Type":1,"Ev Idx":3}})"));
  ASSERT_TRUE(answer.trace.has_value());
  ASSERT_EQ(answer.trace->allocations.size(), 1U);
  const Allocation& allocation = answer.trace->allocations[0];
  EXPECT_EQ(allocation.bytes, -512);
  EXPECT_EQ(allocation.total_allocated, 512);
  EXPECT_EQ(allocation.total_reserved, 2097152);
  EXPECT_EQ(allocation.address, 140215131930624U);
  EXPECT_EQ(allocation.device, 1);
  EXPECT_EQ(allocation.device_type, DeviceType::kGpu);
}

TEST(ReadChromeJson, KindsOfAllDialects) {
  const auto kind_of = [](const std::string& category, const std::string& name) {
    const ReadAnswer answer = ReadText("[{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" +
                                       name + "\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1}]");
    return answer.trace->slices.kind[0];
  };
  EXPECT_EQ(kind_of("cpu_op", "aten::mm"), Kind::kOp);
  EXPECT_EQ(kind_of("Operator", "aten::mm"), Kind::kOp);
  EXPECT_EQ(kind_of("cpu_op", "ProfilerStep#5"), Kind::kStep);
  EXPECT_EQ(kind_of("user_annotation", "ProfilerStep#5"), Kind::kStep);
  EXPECT_EQ(kind_of("gpu_user_annotation", "ProfilerStep#5"), Kind::kDeviceAnnotation);
  EXPECT_EQ(kind_of("user_annotation", "forward"), Kind::kAnnotation);
  EXPECT_EQ(kind_of("python_function", "train.py(3): f"), Kind::kPythonFrame);
  EXPECT_EQ(kind_of("python_function", "nn.Module: Linear_0"), Kind::kModuleFrame);
  EXPECT_EQ(kind_of("cuda_runtime", "cudaLaunchKernel"), Kind::kCall);
  EXPECT_EQ(kind_of("xpu_driver", "zeX"), Kind::kCall);
  EXPECT_EQ(kind_of("mtia_runtime", "x"), Kind::kCall);
  EXPECT_EQ(kind_of("Runtime", "cudaLaunchKernel"), Kind::kCall);
  EXPECT_EQ(kind_of("Kernel", "gemm"), Kind::kKernel);
  EXPECT_EQ(kind_of("kernel", "gemm"), Kind::kKernel);
  EXPECT_EQ(kind_of("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"), Kind::kCollective);
  EXPECT_EQ(kind_of("gpu_memcpy", "Memcpy HtoD"), Kind::kCopy);
  EXPECT_EQ(kind_of("Memset", "Memset"), Kind::kMemset);
  EXPECT_EQ(kind_of("cuda_sync", "Stream Sync"), Kind::kSync);
  EXPECT_EQ(kind_of("overhead", "Buffer Flush"), Kind::kOverhead);
  EXPECT_EQ(kind_of("Node", "conv_kernel_time"), Kind::kOp);
  EXPECT_EQ(kind_of("whatever", "x"), Kind::kOther);
}

TEST(ReadChromeJson, OddIdsAreKeptApart) {
  std::string events;
  for (const char* tid : {"-1", "1", "4294967297", "\"stream 7\"", "\"\"", "18446744073709551615",
                          "1.5", "\"PyTorch Profiler\""}) {
    events += std::string(events.empty() ? "" : ",") +
              R"({"ph":"X","name":"n","pid":"Spans","tid":)" + tid + R"(,"ts":1,"dur":1})";
  }
  // "1" and 1 are one row.
  events += R"(,{"ph":"X","name":"n","pid":"Spans","tid":"1","ts":5,"dur":1})";
  const ReadAnswer answer = ReadText("[" + events + "]");
  ASSERT_TRUE(answer.trace.has_value());
  std::vector<std::string> keys;
  for (const Track& track : answer.trace->tracks) keys.push_back(track.key);
  EXPECT_EQ(answer.trace->processes.size(), 1U);
  EXPECT_THAT(keys, UnorderedElementsAre("-1", "1", "4294967297", "stream 7", "0",
                                         "18446744073709551615", "1.5", "PyTorch Profiler"));
}

TEST(ReadChromeJson, OddNumbersAndWords) {
  const ReadAnswer answer = ReadText(Document(
      R"({"ph":"X","name":"a","ts":"1.5e3","dur":2.5E-1,"pid":1,"tid":1,"args":{"x":NaN,"y":[Infinity,-inf,N/A],"External id":18446744073709551615}},)"
      R"({"ph":"X","name":"b","ts":2000.0004999,"dur":0.0005,"pid":1,"tid":1,"args":{"bad":nan}},)"
      R"({"ph":"X","name":"c","ts":1,"dur":-3,"ts":3000,"pid":1,"tid":1,},)"
      R"({"ph":"X","name":"d","ts":4000,"pid":1,"tid":1},)"
      R"({"ph":"X","name":"e","ts":5000,"dur":18446744073709551,"pid":1,"tid":1},)"
      R"({"ph":"X","name":"f","ts":NaN,"dur":1,"pid":1,"tid":1},)"
      R"({"ph":"X","name":"g","ts":1e300,"dur":1,"pid":1,"tid":1})"));
  ASSERT_TRUE(answer.trace.has_value());
  const Trace& trace = *answer.trace;
  EXPECT_THAT(Names(trace), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(trace.slices.start, ElementsAre(TimeNs{0}, TimeNs{500000}, TimeNs{1500000},
                                              TimeNs{2500000}, TimeNs{3500000}));
  EXPECT_THAT(trace.slices.duration, ElementsAre(DurationNs{250}, DurationNs{1}, DurationNs{0},
                                                 DurationNs{0}, DurationNs{0}));
  EXPECT_EQ(trace.slices.flags[4], kKeptOutOfSums);
  EXPECT_EQ(trace.events.in_file, 7U);
  EXPECT_EQ(trace.events.diagnosed, 2U);
  EXPECT_THAT(Codes(answer.diagnostics), ElementsAre("event-without-time", "negative-duration",
                                                     "missing-duration", "absurd-duration"));
  EXPECT_EQ(answer.diagnostics.entries()[0].examples[0].text, Messages(Verbatim("f")));
}

TEST(ReadChromeJson, NamesOfAllKinds) {
  const ReadAnswer answer = ReadText(Document(
      Span(R"(tab\tquote\"back\\slash\/)", 0, 1) + "," +
      Span(R"(\u00fc\ud83d\ude00\ud83d lone)", 2, 1) + "," + Span("raw\ncontrol\x01", 4, 1) + "," +
      Span("bad\xff\xfeutf8", 6, 1) + "," + Span(R"(C:\path\new)", 8, 1)));
  ASSERT_TRUE(answer.trace.has_value());
  EXPECT_THAT(Names(*answer.trace),
              ElementsAre("tab\tquote\"back\\slash/", "\u00fc\U0001F600\uFFFD lone",
                          "raw\ncontrol\x01", "bad\uFFFD\uFFFDutf8", "C:\\path\new"));
  EXPECT_THAT(Codes(answer.diagnostics), ElementsAre("invalid-utf8"));
}

TEST(ReadChromeJson, EntriesThatAreNoEvents) {
  const ReadAnswer answer = ReadText(
      Document(Span("a", 0, 1) + R"(,{},17,"text",null,[{"ph":"X"}],{"name":"no phase"},)" +
               Span("b", 2, 1) + ",{}"));
  ASSERT_TRUE(answer.trace.has_value());
  EXPECT_THAT(Names(*answer.trace), ElementsAre("a", "b"));
  EXPECT_EQ(answer.trace->events.in_file, 9U);
  EXPECT_EQ(answer.trace->events.diagnosed, 7U);
  EXPECT_EQ(answer.diagnostics.CountOf(Diagnostic::kEmptyEvent), 2U);
  EXPECT_EQ(answer.diagnostics.CountOf(Diagnostic::kMalformedEvent), 5U);
}

TEST(ReadChromeJson, GoesOnBehindAnEventThatIsNoJson) {
  const std::string broken = R"({"ph":"X","name":"raw " quote","pid":1,"tid":2,"ts":3,"dur":1})";
  const std::string before = Document(Span("a", 0, 1) + ",");
  const ReadAnswer answer = ReadText(
      Document(Span("a", 0, 1) + "," + broken + "," + Span("b", 5, 1) + "," + Span("c", 7, 1)));
  ASSERT_TRUE(answer.trace.has_value());
  EXPECT_THAT(Names(*answer.trace), ElementsAre("a", "b", "c"));
  EXPECT_EQ(answer.trace->events.in_file, 4U);
  EXPECT_EQ(answer.trace->events.diagnosed, 1U);
  EXPECT_THAT(Codes(answer.diagnostics), ElementsAre("malformed-json", "malformed-event"));
  const auto& entries = answer.diagnostics.entries();
  EXPECT_EQ(entries[1].examples[0].offset, before.size() - 2);
}

TEST(ReadChromeJson, FaultsAmongTheMembersDoNotHideTheEvents) {
  const ReadAnswer answer =
      ReadText(R"({"cmd":"say "hi"", "x":1, "traceEvents":[)" + Span("a", 0, 1) + "]}");
  ASSERT_TRUE(answer.trace.has_value());
  EXPECT_THAT(Names(*answer.trace), ElementsAre("a"));
  EXPECT_THAT(Codes(answer.diagnostics), ElementsAre("malformed-json"));
}

TEST(ReadChromeJson, MissingBracketAndTrailingText) {
  const ReadAnswer missing = ReadText(R"({"traceEvents":[)" + Span("a", 0, 1) + "}");
  EXPECT_THAT(Names(*missing.trace), ElementsAre("a"));
  EXPECT_THAT(Codes(missing.diagnostics), ElementsAre("malformed-json"));
  const ReadAnswer trailing = ReadText(Document(Span("a", 0, 1)) + "garbage");
  EXPECT_THAT(Names(*trailing.trace), ElementsAre("a"));
  EXPECT_THAT(Codes(trailing.diagnostics), ElementsAre("trailing-garbage"));
}

TEST(ReadChromeJson, NoEventListIsAnError) {
  for (const char* text : {"{}", R"({"a":1})", "17", "", "  \n"}) {
    const ReadAnswer answer = ReadText(text);
    ASSERT_FALSE(answer.trace.has_value()) << text;
    EXPECT_EQ(answer.trace.error().code, ErrorCode::kCannotRead);
    EXPECT_FALSE(answer.trace.error().next_step.empty());
  }
}

TEST(ReadChromeJson, OnnxRuntimeShapes) {
  const ReadAnswer answer = ReadText(
      R"([{"cat" : "Node","pid" :6,"tid" :6,"dur" :5,"ts" :1,"ph" : "X","name" :"c_kernel_time","args" : {"op_name" : "Conv","input_type_shape" : [{"float":[1,3,224,224]},{"int64":[]}]}}])");
  ASSERT_TRUE(answer.trace.has_value());
  EXPECT_EQ(answer.trace->facts.format, Format::kOnnxRuntime);
  ASSERT_EQ(answer.trace->op_args.size(), 1U);
  EXPECT_EQ(answer.trace->strings[answer.trace->op_args[0].input_dims], "[[1,3,224,224],[]]");
  EXPECT_EQ(answer.trace->strings[answer.trace->op_args[0].input_types], R"(["float","int64"])");
}

TEST(ReadChromeJson, FlowsOfDeviceRowsAreOnTheStream) {
  const ReadAnswer answer = ReadText(Document(
      R"({"ph":"f","id":3,"pid":0,"tid":7,"ts":5,"cat":"ac2g","name":"ac2g","bp":"e"},)"
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"correlation":3,"device":0,"stream":7}})"));
  ASSERT_TRUE(answer.trace.has_value());
  EXPECT_EQ(answer.trace->tracks.size(), 1U);
  EXPECT_EQ(answer.trace->tracks[0].kind, TrackKind::kStream);
  EXPECT_EQ(Index(answer.trace->flows[0].track), 0U);
  EXPECT_TRUE(answer.trace->flows[0].binds_enclosing);
}

}  // namespace
}  // namespace stepscope::chrome_json
