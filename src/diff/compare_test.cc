#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "diff/baseline.h"
#include "diff/diff.h"
#include "diff/diff_output.h"
#include "diff/verdict.h"

namespace stepscope::diff {
namespace {

using OneRun = Run;  // tests have a member Run

// A program with a kernel of each op in each step; device times wobble by 0.2 %.
struct Drawn {
  struct Op {
    std::string name;
    int64_t device, host;
    std::string module = {};
    std::string kernel = {};
    int64_t calls = 1;
  };
  std::vector<Op> ops = {{"aten::mm", 4'000'000, 200'000},
                         {"aten::softmax", 2'000'000, 150'000},
                         {"aten::add", 1'000'000, 100'000},
                         {"load_batch", 0, 300'000}};
  int64_t host_extra = 0;  // per step
  int64_t salt = 0;
  size_t steps = 10;
};

Run Draw(const Drawn& drawn) {
  Run run;
  run.paths = {"run.json"};
  run.devices = {"gpu:0"};
  run.main_device = "gpu:0";
  run.steps.resize(drawn.steps);
  for (size_t s = 0; s < drawn.steps; ++s) {
    run.steps[s].number = static_cast<int64_t>(s);
    run.steps[s].devices.resize(1);
  }
  for (const Drawn::Op& op : drawn.ops) {
    Atom host, kernel;
    host.op = kernel.op = op.name;
    host.module = kernel.module = op.module;
    host.shapes = kernel.shapes = "[[8,8]]";
    if (op.device == 0) host.kind = AtomKind::kRange;
    kernel.kernel = op.kernel.empty() ? "void k_" + op.name + "<1>(int)" : op.kernel;
    host.order = static_cast<uint32_t>(2 * run.atoms.size());
    kernel.order = host.order + 1;
    for (uint32_t s = 0; s < drawn.steps; ++s) {
      const int64_t wobble = (static_cast<int64_t>(s) * 7 + drawn.salt * 3) % 11 - 5;
      const int64_t device = op.device + op.device * wobble / 5000;
      host.cells.push_back({s, op.calls, 0, op.host});
      if (op.device > 0) kernel.cells.push_back({s, op.calls, device, 0});
      RunStep& step = run.steps[s];
      step.devices[0].parts.compute += device;
      step.devices[0].work += device;
      step.host += op.host;
      step.launches += op.device > 0 ? op.calls : 0;
    }
    run.atoms.push_back(host);
    if (op.device > 0) run.atoms.push_back(kernel);
  }
  for (RunStep& step : run.steps) {
    Parts& parts = step.devices[0].parts;
    parts.idle = step.host + drawn.host_extra;
    parts.idle_causes[static_cast<size_t>(Cause::kHostOp)] = parts.idle;
    step.duration = parts.compute + parts.idle;
  }
  HashContent(run);
  return run;
}

Diff CompareDrawn(const Drawn& base, const Drawn& now, Settings settings = {}) {
  return Compare({Draw(base)}, {Draw(now)}, settings);
}

// Runs of one program, each with times of its own.
std::vector<OneRun> RunsLike(Drawn drawn, size_t count) {
  std::vector<OneRun> runs;
  for (size_t i = 0; i < count; ++i, drawn.host_extra += 10) runs.push_back(Draw(drawn));
  return runs;
}

TEST(Compare, TheSameProgramIsTheSame) {
  const Diff diff = CompareDrawn({}, {.salt = 4});
  EXPECT_EQ(diff.verdict.result, Outcome::kSame);
  for (const Node& node : diff.nodes) {
    EXPECT_EQ(node.state, State::kMatched);
    EXPECT_EQ(node.compared.result, Outcome::kSame) << node.key.op;
  }
}

TEST(Compare, OneRunOfASlowHostProvesNothing) {
  const Diff diff = CompareDrawn({}, {.host_extra = 5'000'000, .salt = 4});
  EXPECT_EQ(diff.verdict.result, Outcome::kCannotTell);
  const std::string sentence = Render(diff.verdict.sentence, Language::kEnglish);
  EXPECT_NE(sentence.find("the device did the same work; the host was slower everywhere"),
            std::string::npos)
      << sentence;
  EXPECT_EQ(diff.Find("device_work")->compared.result, Outcome::kSame);
}

TEST(Compare, FourRunsOfASlowHostDo) {
  std::vector<OneRun> base, now;
  for (int64_t i = 0; i < 4; ++i) {
    base.push_back(Draw({.host_extra = 10'000 * i, .salt = i}));
    now.push_back(Draw({.host_extra = 5'000'000 + 10'000 * i, .salt = i + 4}));
  }
  const Diff diff = Compare(base, now, {});
  EXPECT_EQ(diff.unit, Unit::kRun);
  EXPECT_EQ(diff.verdict.result, Outcome::kSlower);
}

// One op's kernels 1.1 times as long: it comes first, the difference is exact, all else is the
// same.
TEST(Compare, AnInjectedSlowdownIsFoundFirst) {
  Drawn now;
  now.ops[1].device = 2'200'000;
  const Diff diff = CompareDrawn({}, now);
  ASSERT_FALSE(diff.nodes.empty());
  EXPECT_EQ(diff.nodes[0].key.op, "aten::softmax");
  EXPECT_EQ(diff.nodes[0].compared.delta, diff.nodes[0].compared.base.median / 10);
  EXPECT_EQ(diff.nodes[0].compared.result, Outcome::kSlower);
  for (size_t i = 1; i < diff.nodes.size(); ++i) {
    EXPECT_EQ(diff.nodes[i].compared.result, Outcome::kSame) << diff.nodes[i].key.op;
  }
}

TEST(Compare, AddedRemovedMoved) {
  Drawn base, now;
  base.ops.push_back({"aten::gone", 500'000, 10'000});
  base.ops.push_back({"aten::gelu", 500'000, 10'000, "Net > Mlp"});
  now.ops.push_back({"aten::new", 700'000, 10'000});
  now.ops.push_back({"aten::gelu", 500'000, 10'000, "Net > Head"});
  const Diff diff = CompareDrawn(base, now);
  ASSERT_GE(diff.nodes.size(), 3u);
  EXPECT_EQ(diff.nodes[0].key.op, "aten::new");
  EXPECT_EQ(diff.nodes[0].state, State::kAdded);
  EXPECT_EQ(diff.nodes[1].key.op, "aten::gone");
  EXPECT_EQ(diff.nodes[1].state, State::kRemoved);
  EXPECT_EQ(diff.nodes[2].key.op, "aten::gelu");
  EXPECT_EQ(diff.nodes[2].state, State::kMoved);
}

// Other template arguments are no other program; kernels are details of their op.
TEST(Compare, RenamedTemplatesAddNothing) {
  Drawn now;
  for (Drawn::Op& op : now.ops) op.kernel = "void k_" + op.name + "<2, float>(long)";
  const Diff by_op = CompareDrawn({}, now), by_kernel = CompareDrawn({}, now, {.by = By::kKernel});
  for (const Diff* diff : {&by_op, &by_kernel}) {
    ASSERT_FALSE(diff->nodes.empty());
    for (const Node& node : diff->nodes) EXPECT_EQ(node.state, State::kMatched) << node.key.kernel;
  }
  EXPECT_EQ(by_op.nodes[0].kernels[0].by, "base");
}

TEST(Compare, TheStepIsExplainedToTheNanosecond) {
  Drawn now;
  now.ops[0].device = 5'000'001;
  now.host_extra = 123'457;
  const Diff diff = CompareDrawn({}, now);
  ASSERT_TRUE(diff.partition);
  const Partition& p = *diff.partition;
  EXPECT_EQ(p.step, diff.Find("step_time")->compared.delta);
  EXPECT_EQ(p.step, p.compute + p.exposed_communication + p.exposed_copy + p.exposed_memset +
                        p.idle + p.residue);
  int64_t causes = 0;
  for (const auto& cause : p.idle_causes) causes += cause.delta;
  EXPECT_EQ(causes, p.idle);
}

TEST(Compare, ExchangedSidesChangeTheSign) {
  Drawn now{.host_extra = 700'000, .salt = 3};
  now.ops[0].device = 4'600'000;
  now.ops.push_back({"aten::new", 700'000, 10'000});
  const Diff there = CompareDrawn({}, now), back = CompareDrawn(now, {});
  ASSERT_EQ(there.metrics.size(), back.metrics.size());
  const auto swapped = [](Outcome outcome) {
    return outcome == Outcome::kSlower   ? Outcome::kFaster
           : outcome == Outcome::kFaster ? Outcome::kSlower
                                         : outcome;
  };
  const auto expect = [&](const Comparison& a, const Comparison& b, const std::string& what) {
    EXPECT_EQ(a.delta, -b.delta) << what;
    EXPECT_EQ(a.lo.has_value(), b.hi.has_value()) << what;
    EXPECT_EQ(a.lo.value_or(0), -b.hi.value_or(0)) << what;
    EXPECT_EQ(a.hi.value_or(0), -b.lo.value_or(0)) << what;
    EXPECT_EQ(a.result, swapped(b.result)) << what;
  };
  for (size_t i = 0; i < there.metrics.size(); ++i) {
    expect(there.metrics[i].compared, back.metrics[i].compared, there.metrics[i].id);
  }
  ASSERT_EQ(there.nodes.size(), back.nodes.size());
  for (size_t i = 0; i < there.nodes.size(); ++i) {
    EXPECT_EQ(there.nodes[i].key.op, back.nodes[i].key.op);
    expect(there.nodes[i].compared, back.nodes[i].compared, there.nodes[i].key.op);
  }
  EXPECT_EQ(there.verdict.result, swapped(back.verdict.result));
}

TEST(Compare, BadSidesGetASentence) {
  OneRun one = Draw({}), of_eight = Draw({.salt = 2});
  one.environment["world_size"] = "1";
  of_eight.environment["world_size"] = "8";
  const Diff ranks = Compare({one}, {of_eight}, {});
  EXPECT_EQ(ranks.verdict.result, Outcome::kNotComparable);
  EXPECT_TRUE(ranks.metrics.empty());
  EXPECT_TRUE(ranks.nodes.empty());

  OneRun torch = Draw({}), jax = Draw({.salt = 2});
  torch.environment["framework"] = "PyTorch";
  jax.environment["framework"] = "JAX";
  jax.atoms.front().cells.front().device *= 3;
  const Diff frameworks = Compare({torch}, {jax}, {});
  EXPECT_EQ(frameworks.verdict.result, Outcome::kNotComparable);
  for (const Metric& metric : frameworks.metrics) {
    if (metric.unit != "ns") continue;
    EXPECT_EQ(metric.compared.result, Outcome::kNotComparable) << metric.id;
  }

  OneRun host = Draw({}), device = Draw({.salt = 2});
  host.host_only = true;
  host.environment.erase("devices");
  device.environment["devices"] = "1 x NVIDIA H200";
  const Diff devices = Compare({host}, {device}, {});
  EXPECT_TRUE(std::ranges::any_of(devices.environment, [](const EnvironmentChange& change) {
    return change.what == "devices" && change.base == "CPU" && change.severity == Severity::kBreaks;
  }));
  EXPECT_EQ(CheckGate(devices, {GateOn::kSlower}).state, Gate::State::kOff);

  OneRun no_steps = Draw({});
  no_steps.has_steps = false;
  no_steps.steps.clear();
  for (Atom& atom : no_steps.atoms) atom.cells.resize(1);
  const Diff without = Compare({no_steps}, {Draw({})}, {});
  EXPECT_EQ(without.verdict.result, Outcome::kNotComparable);
  EXPECT_EQ(CheckGate(without, {GateOn::kSlower}).state, Gate::State::kOff);

  const Diff twice = CompareDrawn({}, {});
  ASSERT_FALSE(twice.notes.empty());
  EXPECT_EQ(twice.notes[0].id(), "diff.same-file");

  Drawn other;
  other.ops = {{"tf::Other", 9'000'000, 1'000, "", "q"}};
  Drawn base;
  base.ops = {{"aten::mm", 4'000'000, 200'000, "", "z"}};
  const Diff unrelated = CompareDrawn(base, other);
  EXPECT_EQ(unrelated.verdict.result, Outcome::kNotComparable);
  EXPECT_EQ(unrelated.verdict.sentence[0].id(), "diff.nothing-in-common");
  EXPECT_TRUE(unrelated.metrics.empty());  // no number says anything
  EXPECT_TRUE(unrelated.nodes.empty());
  EXPECT_TRUE(unrelated.categories.empty());
  EXPECT_TRUE(unrelated.notes.empty());
  EXPECT_FALSE(unrelated.partition);

  OneRun on_host = Draw(base);  // nothing of it runs on a device
  std::erase_if(on_host.atoms, [](const Atom& atom) { return !atom.kernel.empty(); });
  const Diff host_alone = Compare({on_host}, {Draw(other)}, {});
  EXPECT_EQ(host_alone.verdict.sentence[0].id(), "diff.nothing-in-common");
  EXPECT_TRUE(host_alone.metrics.empty());

  const Diff uneven = Compare(RunsLike({}, 10), {Draw({.salt = 1})}, {});
  EXPECT_EQ(uneven.notes[0].id(), "diff.uneven-runs");
  EXPECT_EQ(uneven.unit, Unit::kStep);
}

// Four copies of one run a side are one run a side, which proves nothing about the host.
TEST(Compare, CopiesCountOnce) {
  const std::vector<OneRun> base(4, Draw({})), now(4, Draw({.host_extra = 5'000'000, .salt = 4}));
  const Diff diff = Compare(base, now, {});
  EXPECT_EQ(diff.base.size(), 1u);
  EXPECT_EQ(diff.now.size(), 1u);
  EXPECT_EQ(diff.unit, Unit::kStep);
  EXPECT_EQ(diff.verdict.result, Outcome::kCannotTell);
  EXPECT_EQ(diff.notes[0].id(), "diff.copies");
  // In a baseline too, and a report is a copy of its recording.
  const Result<JsonValue> stored = ParseJson(BaselineJson(base));
  EXPECT_EQ((*stored)["runs"].items().size(), 1u);
  OneRun report = base.front();
  report.per_step_nodes = false;
  for (Atom& atom : report.atoms) atom.cells.resize(1);
  HashContent(report);
  EXPECT_EQ(WithoutCopies({base.front(), report}).size(), 1u);
  EXPECT_EQ(WithoutCopies(RunsLike({}, 4)).size(), 4u);
  // Steps of the same length may be chance where a clock is coarse; other work in them is not.
  OneRun other = base.front();
  ++other.atoms.front().cells.front().host;
  HashContent(other);
  EXPECT_EQ(WithoutCopies({base.front(), other}).size(), 2u);
}

// What stands behind the cut of a file was neither added nor removed.
TEST(Compare, ADamagedFileProvesNothing) {
  Drawn part;
  part.ops.resize(2);
  OneRun cut = Draw(part);
  cut.damaged = true;
  cut.findings = {{"kernel-launch-bound", 0, 900'000}};
  const OneRun whole = Draw({});
  const Diff base_cut = Compare({cut}, {whole}, {}), new_cut = Compare({whole}, {cut}, {});
  for (const Diff* diff : {&base_cut, &new_cut}) {
    EXPECT_EQ(diff->verdict.result, Outcome::kCannotTell);
    for (const Metric& metric : diff->metrics) {
      EXPECT_EQ(metric.compared.result, Outcome::kCannotTell) << metric.id;
    }
    EXPECT_FALSE(diff->nodes.empty());
    for (const Node& node : diff->nodes) {
      EXPECT_EQ(node.state, State::kMatched) << node.key.op;
      EXPECT_FALSE(node.changes_program) << node.key.op;
    }
    EXPECT_EQ(CheckGate(*diff, {GateOn::kNewFinding}).state, Gate::State::kPassed);
    EXPECT_EQ(CheckGate(*diff, {GateOn::kSlowerOrCannotTell}).state, Gate::State::kFailed);
  }
  EXPECT_EQ(base_cut.verdict.sentence[0].id(), "diff.damaged-base");
  EXPECT_EQ(new_cut.verdict.sentence[0].id(), "diff.damaged-new");
  // What the whole file lacks is gone all the same.
  Drawn more = part;
  more.ops.push_back({"aten::gone", 500'000, 10'000});
  OneRun longer = Draw(more);
  longer.damaged = true;
  const Diff gone = Compare({longer}, {whole}, {});
  ASSERT_FALSE(gone.nodes.empty());
  EXPECT_EQ(gone.nodes[0].key.op, "aten::gone");
  EXPECT_EQ(gone.nodes[0].state, State::kRemoved);
}

TEST(Compare, ADamagedRunIsLeftOutWhereOthersAreWhole) {
  std::vector<OneRun> base = RunsLike({}, 5);
  base[2].damaged = true;
  const Diff diff = Compare(base, RunsLike({.salt = 1}, 4), {});
  EXPECT_EQ(diff.base.size(), 4u);
  EXPECT_EQ(diff.notes[0].id(), "diff.damaged-left-out");
  EXPECT_EQ(diff.verdict.result, Outcome::kSame);
}

TEST(Compare, GatesFailOnWhatTheyAreAskedFor) {
  Drawn now;
  now.ops[0].device = 6'000'000;
  Diff diff = CompareDrawn({}, now);
  EXPECT_EQ(CheckGate(diff, {}).state, Gate::State::kOff);
  EXPECT_EQ(CheckGate(diff, {GateOn::kSlower}).state, Gate::State::kFailed);
  EXPECT_EQ(CheckGate(diff, {GateOn::kNewFinding}).state, Gate::State::kPassed);
  diff.verdict.result = Outcome::kCannotTell;
  EXPECT_EQ(CheckGate(diff, {GateOn::kSlower}).state, Gate::State::kPassed);
  EXPECT_EQ(CheckGate(diff, {GateOn::kSlowerOrCannotTell}).state, Gate::State::kFailed);
}

// Rules compare times with limits, so a finding of one side alone is new only where the program
// changed or enough runs agree.
TEST(Compare, AFindingOfTheSameProgramMayBeNoise) {
  const std::vector<RunFinding> found = {{"kernel-launch-bound", 0, 900'000}};
  const auto compare = [&](size_t base_runs, size_t now_runs, size_t with, const Drawn& drawn) {
    std::vector<OneRun> base = RunsLike({}, base_runs), now = RunsLike(drawn, now_runs);
    for (size_t i = 0; i < with; ++i) now[i].findings = found;
    return Compare(base, now, {});
  };
  const auto gate = [](const Diff& diff) { return CheckGate(diff, {GateOn::kNewFinding}).state; };
  const Drawn slow_host{.host_extra = 4'000'000, .salt = 1};
  const Diff noise = compare(1, 1, 1, slow_host);
  ASSERT_EQ(noise.findings.size(), 1u);
  EXPECT_TRUE(noise.findings[0].may_be_noise());
  EXPECT_FALSE(noise.findings[0].is_new());
  EXPECT_EQ(gate(noise), Gate::State::kPassed);
  EXPECT_EQ(gate(compare(3, 3, 3, slow_host)), Gate::State::kPassed);  // p = 0.1
  EXPECT_EQ(gate(compare(4, 4, 4, slow_host)), Gate::State::kFailed);  // p = 0.029
  EXPECT_EQ(gate(compare(6, 6, 4, slow_host)), Gate::State::kPassed);  // p = 0.061
  EXPECT_TRUE(compare(6, 6, 3, slow_host).findings.empty());           // no more than half

  Drawn changed;
  changed.ops.push_back({"aten::item", 2'000, 400'000});
  EXPECT_EQ(gate(compare(1, 1, 1, changed)), Gate::State::kFailed);
  EXPECT_EQ(gate(compare(1, 1, 0, changed)), Gate::State::kPassed);
  OneRun had = Draw({});
  had.findings = found;
  EXPECT_TRUE(Compare({had}, {Draw(changed)}, {}).findings[0].is_gone());
}

TEST(Compare, ABaselineKnowsWhatItsRunsKnew) {
  const OneRun run = Draw({.salt = 5});
  const std::string json = BaselineJson(std::span(&run, 1));
  const Result<JsonValue> parsed = ParseJson(json);
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)["schema"].text(), "stepscope.baseline/1");
  EXPECT_EQ((*parsed)["runs"][0]["steps"].items().size(), run.steps.size());
}

// Runs in order of rank: the slowest one decides the step, nodes are means.
TEST(Compare, RanksOfOneRun) {
  OneRun first = Draw({}), second = Draw({.host_extra = 1'000'000});
  first.rank = 0;
  second.rank = 1;
  const OneRun joined = JoinRanks({second, first});
  EXPECT_EQ(joined.ranks, 2u);
  EXPECT_EQ(joined.steps[3].duration, second.steps[3].duration);
  EXPECT_EQ(joined.atoms[1].cells[2].device, first.atoms[1].cells[2].device);
}

}  // namespace
}  // namespace stepscope::diff
