#include <fmt/format.h>

#include <cmath>
#include <set>

#include "diff/diff_words.h"
#include "present/table.h"
#include "present/units.h"
#include "tools/tune/tune_output.h"
#include "words/tune.h"

namespace stepscope::tune {
namespace {

constexpr SayFrom<kTuneTexts> Say;

std::string Percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string IntervalOf(const diff::Comparison& compared) {
  if (!compared.lo || compared.base.median == 0) return {};
  const auto base = static_cast<double>(compared.base.median);
  return fmt::format("{} … {}", Percent(static_cast<double>(*compared.lo) / base),
                     Percent(static_cast<double>(*compared.hi) / base));
}

Message ResultOf(const Trial& trial) {
  if (const Measured* failure = trial.failure()) return Say("tune.failed", HowItFailed(*failure));
  if (const auto lost = trial.Lost(); !lost.empty()) return Say("tune.lost", lost.begin()->first);
  switch (trial.compared.result) {
    case diff::Outcome::kFaster:
      return Say("tune.faster");
    case diff::Outcome::kSlower:
      return Say("tune.slower");
    case diff::Outcome::kSame:
      return Say("tune.same");
    case diff::Outcome::kCannotTell:
    case diff::Outcome::kNotComparable:
      break;
  }
  return Say("tune.cannot-tell", trial.compared.runs_needed.value_or(0));
}

Color ColorOf(const Trial& trial) {
  if (trial.failure() != nullptr) return Color::kRed;
  if (trial.compared.result == diff::Outcome::kFaster) return Color::kGreen;
  return trial.compared.result == diff::Outcome::kSlower ? Color::kYellow : Color::kPlain;
}

bool HasNumbers(const Trial& trial) { return trial.failure() == nullptr && trial.Lost().empty(); }

std::string TableOf(const Tuned& tuned, const Style& style) {
  Table table(
      style.Say(tuned.metric == Metric::kStep ? Say("tune.heading.step") : Say("tune.heading.run")),
      {{"", Align::kLeft, Fit::kShorten},
       {style.Say(Say("tune.column.median")), Align::kRight},
       {style.Say(Say("tune.column.change")), Align::kRight},
       {style.Say(Say("tune.column.interval")), Align::kRight, Fit::kDrop},
       {style.Say(Say("tune.column.p")), Align::kRight, Fit::kDrop},
       {style.Say(Say("tune.column.result")), Align::kLeft}});
  for (const Trial& trial : tuned.trials) {
    const bool is_base = &trial == &tuned.trials.front();
    const diff::Comparison& compared = trial.compared;
    std::vector<Cell> cells{style.Say(InWords(trial.setting))};
    if (HasNumbers(trial)) {
      cells.emplace_back(FormatDuration(DurationNs{compared.now.median}));
    } else {
      cells.emplace_back("");
    }
    const bool compares = HasNumbers(trial) && !is_base;
    cells.emplace_back(compares && compared.rel ? Percent(*compared.rel) : "");
    cells.emplace_back(compares ? IntervalOf(compared) : "");
    cells.emplace_back(compares && compared.q ? fmt::format("{:.3f}", *compared.q) : "");
    cells.emplace_back(is_base ? "" : style.Say(ResultOf(trial)), ColorOf(trial));
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

Message HeadlineOf(const Tuned& tuned) {
  if (!tuned.best) return Say("tune.nothing-pays");
  const Trial& best = tuned.trials[*tuned.best];
  const DurationNs now{best.compared.now.median}, base{best.compared.base.median};
  const double percent = -100 * best.compared.rel.value_or(0);
  if (tuned.metric == Metric::kStep) {
    return Say("tune.pays.step", NameOf(best.setting), now, base, percent);
  }
  return Say("tune.pays.run", NameOf(best.setting), now, base, percent);
}

}  // namespace

Message InWords(const Setting& setting) {
  if (setting.variables.empty()) return Say("tune.as-it-is");
  return Say("tune.setting", NameOf(setting));
}

Message HowItFailed(const Measured& run) {
  if (run.signal != 0) return Say("tune.signal", run.signal);
  return Say("tune.exit-code", run.exit_code);
}

std::string TunedText(const Tuned& tuned, const diff::Settings& settings, const Style& style) {
  std::string text = style.Clean(style.Say(HeadlineOf(tuned))) + "\n\n" + TableOf(tuned, style);
  if (tuned.drift && std::abs(*tuned.drift) > settings.threshold) {
    text +=
        '\n' +
        style.Clean(style.Say(Say("tune.drift", 100 * std::abs(*tuned.drift),
                                  *tuned.drift > 0 ? Say("tune.longer") : Say("tune.shorter")))) +
        '\n';
  }
  std::set<std::string> said;
  for (const Trial& trial : tuned.trials) {
    for (const Measured& run : trial.runs) {
      for (const auto& [what, value] : run.overruled) {
        if (!said.insert(what).second) continue;
        text += style.Clean(style.Say(Say("tune.overruled", what, value))) + '\n';
      }
    }
  }
  return text;
}

}  // namespace stepscope::tune
