#include "tools/nan/nan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "present/table.h"
#include "present/units.h"
#include "tools/events/event_log.h"
#include "tools/nan/frames.h"
#include "tools/nan/tensor_name.h"

namespace stepscope {
namespace {

constexpr std::string_view kHowToRecord =
    "tf.debugging.experimental.enable_dump_debug_info(\n"
    "    \"/tmp/tfdbg\", tensor_debug_mode=\"FULL_HEALTH\", circular_buffer_size=-1)";

std::string Title(const BadOutput& bad) {
  if (bad.where == BadOutput::Where::kEager) {
    return fmt::format("{} (eager, execution {})", bad.op_type, bad.index);
  }
  return fmt::format("{} ({}) in graph {}", bad.op, bad.op_type,
                     bad.graph_name.empty() ? bad.graph_id : bad.graph_name);
}

// The user's own frames, innermost first; then how many frames of libraries there were.
template <typename GetFrame>
std::string StackText(size_t frames, GetFrame&& frame_at, const Style& style) {
  std::string out;
  size_t folded = 0;
  for (size_t i = frames; i-- > 0;) {
    const DebugFrame& frame = frame_at(i);
    if (IsLibraryFrame(frame.file)) {
      ++folded;
      continue;
    }
    out += fmt::format("    {}:{} in {}\n", style.Clean(frame.file), frame.line,
                       style.Clean(frame.function));
    std::string code = frame.code;
    code.erase(0, std::min(code.find_first_not_of(" \t"), code.size()));
    if (!code.empty()) out += "        " + style.Paint(Color::kCyan, style.Clean(code)) + "\n";
  }
  if (folded > 0) {
    out +=
        style.Paint(Color::kDim, fmt::format("    {} {}", style.ascii ? "..." : "…",
                                             Plural(folded, "library frame", "library frames"))) +
        "\n";
  }
  return out;
}

std::string NeighborText(const char* role, const std::vector<GraphNeighbor>& neighbors,
                         const Style& style) {
  std::string out;
  for (const GraphNeighbor& one : neighbors) {
    std::string state = "not recorded";
    if (one.health && one.health->known) {
      state = one.health->bad ? FormatHealth(*one.health) : "finite";
    }
    out += fmt::format("    {} {} ({}): {}\n", role, style.Clean(one.op), style.Clean(one.op_type),
                       style.Paint(state == "finite" ? Color::kGreen : Color::kRed, state));
  }
  return out;
}

std::string SourceText(const DebugDump& dump, const NanHunt& hunt, const Style& style) {
  const BadOutput& source = *hunt.source;
  std::string out =
      fmt::format("{} {}\n", style.Paint(Color::kBold, "source"), style.Clean(Title(source)));
  out += fmt::format("  output {}: {}\n", source.slot,
                     style.Paint(Color::kRed, FormatHealth(source.health)));
  if (hunt.source_is_argument) {
    out += "  the value was already bad when it came into the graph: look at what is fed in\n";
  } else if (!source.inputs_finite) {
    out += "  every bad op had a bad input; this is the first of them\n";
  } else {
    out += source.inputs_recorded ? "  all its inputs were finite\n"
                                  : "  no recorded input was bad (some were not recorded)\n";
  }
  if (!source.stack.empty()) {
    out += source.where == BadOutput::Where::kEager ? "  called from\n" : "  created at\n";
    out += StackText(
        source.stack.size(),
        [&](size_t i) -> const DebugFrame& { return dump.frames[source.stack[i]]; }, style);
  }
  if (!hunt.inputs.empty() || !hunt.consumers.empty()) out += "  around it\n";
  return out + NeighborText("from", hunt.inputs, style) +
         NeighborText("to  ", hunt.consumers, style);
}

Cell InputsOf(const BadOutput& bad) {
  if (IsArgument(bad.op_type)) return {"argument", Color::kDim};
  const bool call = bad.where == BadOutput::Where::kEager && !bad.graph_id.empty();
  if (call) return {"made inside", Color::kDim};
  return bad.inputs_finite ? Cell("finite", Color::kBold) : Cell("bad", Color::kDim);
}

std::string RowsText(const char* heading, const NanHunt& hunt, const std::vector<size_t>& rows,
                     size_t most, const Style& style) {
  Table table(heading, {{"", Align::kLeft, Fit::kShorten},
                        {"type", Align::kLeft, Fit::kKeep},
                        {"graph", Align::kLeft, Fit::kShorten},
                        {"step", Align::kRight, Fit::kKeep},
                        {"values", Align::kLeft, Fit::kKeep},
                        {"inputs", Align::kLeft, Fit::kKeep}});
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const BadOutput& bad = hunt.all[rows[i]];
    const bool eager = bad.where == BadOutput::Where::kEager;
    table.AddRow({bad.op,
                  bad.op_type,
                  eager ? "(eager)" : bad.graph_name,
                  bad.step ? std::to_string(*bad.step) : "?",
                  {FormatHealth(bad.health), Color::kRed},
                  InputsOf(bad)});
  }
  std::string out = table.Render(style);
  if (rows.size() > most) {
    out += fmt::format("  and {} more (--all)\n", FormatCount(uint64_t{rows.size() - most}));
  }
  return out;
}

std::string CannotTellText(const DebugDump& dump, const Style& style) {
  std::string modes;
  for (const TensorDebugMode mode : dump.modes) {
    modes += fmt::format("{}{}", modes.empty() ? "" : ", ", NameOf(mode));
  }
  return fmt::format(
      "{} the dump was recorded with mode {}, which keeps no health numbers: it cannot tell NaN "
      "or Inf.\nRecord with FULL_HEALTH, at the top of the program:\n\n{}\n",
      style.Paint(Color::kYellow, "!"), modes.empty() ? "NO_TENSOR" : modes, kHowToRecord);
}

}  // namespace

std::string FormatHealth(const TensorHealth& health) {
  if (!health.known) return "not known";
  if (!health.bad) return "finite";
  if (health.counts) {
    std::string text;
    const auto add = [&](uint64_t count, const char* kind) {
      if (count == 0) return;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", FormatCount(count), kind);
    };
    add(health.counts->neg_inf, "-Inf");
    add(health.counts->pos_inf, "+Inf");
    add(health.counts->nan, "NaN");
    return health.counts->size == 0
               ? text
               : fmt::format("{} of {}", text, FormatCount(health.counts->size));
  }
  if (!health.kinds_known) return "NaN or Inf";
  std::string text;
  for (const auto& [has, kind] : {std::pair(health.neg_inf, "-Inf"),
                                  {health.pos_inf, "+Inf"},
                                  {health.inf, "Inf"},
                                  {health.nan, "NaN"}}) {
    if (has) text += fmt::format("{}{}", text.empty() ? "" : ", ", kind);
  }
  return text;
}

std::string NanHuntText(const DebugDump& dump, const NanHunt& hunt, NanDetail detail,
                        const Style& style) {
  std::string out;
  for (const DebugDamage& damage : dump.damage) {
    out += fmt::format("{} {} at byte {}: {}\n", style.Paint(Color::kYellow, "!"),
                       style.Clean(damage.file), damage.offset, style.Say(damage.sentence));
  }
  if (!hunt.can_tell) return out + CannotTellText(dump, style);
  if (!hunt.source) {
    return out + fmt::format("{} no NaN or Inf in {} and {}\n",
                             style.Paint(Color::kGreen, style.Clean("✔")),
                             Plural(dump.executions.size(), "eager execution", "eager executions"),
                             Plural(dump.traces.size(), "graph output", "graph outputs"));
  }
  out += SourceText(dump, hunt, style);
  const size_t most = detail == NanDetail::kAll ? SIZE_MAX : 10;
  if (!hunt.spread.empty()) {
    out += "\n" + RowsText("spread to", hunt, hunt.spread, most, style);
  }
  if (!hunt.first_by_graph.empty()) {
    out += "\n" + RowsText("first of each graph", hunt, hunt.first_by_graph, most, style);
  }
  std::vector<size_t> all(hunt.all.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  return out + "\n" + RowsText("all bad outputs, in order", hunt, all, most, style);
}

std::string NanMessagesText(const std::vector<CheckNumericsMessage>& messages, NanDetail detail,
                            const Style& style) {
  if (messages.empty()) {
    return fmt::format(
        "no CheckNumerics message in this log. To get one:\n\n"
        "tf.debugging.enable_check_numerics()\n\nor a dump that finds the source by "
        "itself:\n\n{}\n",
        kHowToRecord);
  }
  std::string out;
  const size_t shown = detail == NanDetail::kAll ? messages.size() : 1;
  for (size_t i = 0; i < shown; ++i) {
    const CheckNumericsMessage& one = messages[i];
    out += fmt::format("{} {}{} (line {})\n", style.Paint(Color::kBold, i == 0 ? "source" : "then"),
                       style.Clean(one.op.empty() ? one.op_type : one.op),
                       one.eager ? " (eager)" : "", one.line);
    out += fmt::format("  output {}: {}\n", one.slot,
                       style.Paint(Color::kRed, FormatHealth(one.health)));
    if (!one.stack.empty()) {
      out +=
          "  created at\n" +
          StackText(
              one.stack.size(), [&](size_t f) -> const DebugFrame& { return one.stack[f]; }, style);
    }
  }
  if (shown < messages.size()) {
    out += fmt::format("and {} more (--all)\n", messages.size() - shown);
  }
  return out;
}

std::string NanScalarsText(const std::vector<NanScalar>& scalars, const Style& style) {
  if (scalars.empty())
    return style.Paint(Color::kGreen, style.Clean("✔")) + " every scalar stayed finite\n";
  Table table("scalar", {{"", Align::kLeft, Fit::kShorten},
                         {"run", Align::kLeft, Fit::kShorten},
                         {"first bad step", Align::kRight, Fit::kKeep},
                         {"value", Align::kRight, Fit::kKeep},
                         {"last finite step", Align::kRight, Fit::kKeep},
                         {"value", Align::kRight, Fit::kKeep}});
  for (const NanScalar& one : scalars) {
    table.AddRow({one.tag,
                  one.run,
                  std::to_string(one.first.step),
                  {FormatValue(one.first.value), Color::kRed},
                  one.last_finite ? std::to_string(one.last_finite->step) : "none",
                  one.last_finite ? fmt::format("{:.6g}", one.last_finite->value) : ""});
  }
  return table.Render(style) +
         fmt::format(
             "\nWhich op made it: record a dump around step {} and run stepscope nan on it\n"
             "\n{}\n",
             scalars.front().first.step, kHowToRecord);
}

}  // namespace stepscope
