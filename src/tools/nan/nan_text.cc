#include "tools/nan/nan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "present/table.h"
#include "present/units.h"
#include "tools/events/event_log.h"
#include "tools/nan/frames.h"
#include "tools/nan/tensor_name.h"
#include "words/nan.h"

namespace stepscope {
namespace {

constexpr SayFrom<kNanTexts> Say;
using Speaker = SayIn<kNanTexts>;

constexpr std::string_view kHowToRecord =
    "tf.debugging.experimental.enable_dump_debug_info(\n"
    "    \"/tmp/tfdbg\", tensor_debug_mode=\"FULL_HEALTH\", circular_buffer_size=-1)";

Message Title(const BadOutput& bad) {
  if (bad.where == BadOutput::Where::kEager) return Say("nan.eager-op", bad.op_type, bad.index);
  return Say("nan.graph-op", bad.op, bad.op_type,
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
    out += "    " +
           style.Clean(style.Say(Say("nan.in-function", frame.file, frame.line, frame.function))) +
           "\n";
    std::string code = frame.code;
    code.erase(0, std::min(code.find_first_not_of(" \t"), code.size()));
    if (!code.empty()) out += "        " + style.Paint(Color::kCyan, style.Clean(code)) + "\n";
  }
  if (folded > 0) {
    out += style.Paint(Color::kDim, fmt::format("    {} {}", style.ascii ? "..." : "…",
                                                style.Say(Say("nan.library-frames", folded)))) +
           "\n";
  }
  return out;
}

enum class Role : uint8_t { kInput, kConsumer };

std::string NeighborText(Role role, const std::vector<GraphNeighbor>& neighbors,
                         const Style& style) {
  const Speaker say(style);
  std::string out;
  for (const GraphNeighbor& one : neighbors) {
    const bool known = one.health && one.health->known;
    const std::string state =
        style.Paint(known && !one.health->bad ? Color::kGreen : Color::kRed,
                    known ? style.Say(InWords(*one.health)) : say("nan.not-recorded"));
    const std::string op = style.Clean(one.op), type = style.Clean(one.op_type);
    out += "    " +
           (role == Role::kInput ? say("nan.from-op", op, type, state)
                                 : say("nan.to-op", op, type, state)) +
           "\n";
  }
  return out;
}

std::string OutputLine(int64_t slot, const TensorHealth& health, const Style& style) {
  return "  " +
         style.Say(Say("nan.output", slot, style.Paint(Color::kRed, style.Say(InWords(health))))) +
         "\n";
}

std::string SourceText(const DebugDump& dump, const NanHunt& hunt, const Style& style) {
  const BadOutput& source = *hunt.source;
  const Speaker say(style);
  std::string out = fmt::format("{} {}\n", style.Paint(Color::kBold, say("nan.source")),
                                style.Clean(style.Say(Title(source))));
  out += OutputLine(source.slot, source.health, style);
  const auto line = [&](const std::string& text) { out += "  " + text + "\n"; };
  if (hunt.source_is_argument) {
    line(say("nan.was-argument"));
  } else if (!source.inputs_finite) {
    line(say("nan.all-had-bad-input"));
  } else {
    line(source.inputs_recorded ? say("nan.inputs-finite") : say("nan.recorded-inputs-finite"));
  }
  if (!source.stack.empty()) {
    line(source.where == BadOutput::Where::kEager ? say("nan.called-from") : say("nan.created-at"));
    out += StackText(
        source.stack.size(),
        [&](size_t i) -> const DebugFrame& { return dump.frames[source.stack[i]]; }, style);
  }
  if (!hunt.inputs.empty() || !hunt.consumers.empty()) line(say("nan.around"));
  return out + NeighborText(Role::kInput, hunt.inputs, style) +
         NeighborText(Role::kConsumer, hunt.consumers, style);
}

Cell InputsOf(const BadOutput& bad, const Speaker& say) {
  if (IsArgument(bad.op_type)) return {say("nan.argument"), Color::kDim};
  const bool call = bad.where == BadOutput::Where::kEager && !bad.graph_id.empty();
  if (call) return {say("nan.made-inside"), Color::kDim};
  return bad.inputs_finite ? Cell(say("nan.finite"), Color::kBold)
                           : Cell(say("nan.bad"), Color::kDim);
}

std::string RowsText(const std::string& heading, const NanHunt& hunt,
                     const std::vector<size_t>& rows, size_t most, const Style& style) {
  const Speaker say(style);
  Table table(heading, {{"", Align::kLeft, Fit::kShorten},
                        {say("nan.column.type"), Align::kLeft, Fit::kKeep},
                        {say("nan.column.graph"), Align::kLeft, Fit::kShorten},
                        {say("nan.column.step"), Align::kRight, Fit::kKeep},
                        {say("nan.column.values"), Align::kLeft, Fit::kKeep},
                        {say("nan.column.inputs"), Align::kLeft, Fit::kKeep}});
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const BadOutput& bad = hunt.all[rows[i]];
    const bool eager = bad.where == BadOutput::Where::kEager;
    table.AddRow({bad.op,
                  bad.op_type,
                  eager ? say("nan.eager") : bad.graph_name,
                  bad.step ? std::to_string(*bad.step) : "?",
                  {style.Say(InWords(bad.health)), Color::kRed},
                  InputsOf(bad, say)});
  }
  std::string out = table.Render(style);
  if (rows.size() > most) out += "  " + say("nan.more", rows.size() - most) + "\n";
  return out;
}

std::string CannotTellText(const DebugDump& dump, const Style& style) {
  std::string modes;
  for (const TensorDebugMode mode : dump.modes) {
    modes += fmt::format("{}{}", modes.empty() ? "" : ", ", NameOf(mode));
  }
  if (modes.empty()) modes = "NO_TENSOR";
  return fmt::format("{} {}\n\n{}\n", style.Paint(Color::kYellow, "!"),
                     style.Say(Say("nan.cannot-tell", modes)), kHowToRecord);
}

}  // namespace

Message InWords(const TensorHealth& health) {
  if (!health.known) return Say("nan.not-known");
  if (!health.bad) return Say("nan.finite");
  if (health.counts) {
    std::string text;
    const auto add = [&](uint64_t count, const char* kind) {
      if (count == 0) return;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", FormatCount(count), kind);
    };
    add(health.counts->neg_inf, "-Inf");
    add(health.counts->pos_inf, "+Inf");
    add(health.counts->nan, "NaN");
    return health.counts->size == 0 ? Verbatim(text) : Say("nan.bad-of", text, health.counts->size);
  }
  if (!health.kinds_known) return Say("nan.bad-or");
  std::string text;
  for (const auto& [has, kind] : {std::pair(health.neg_inf, "-Inf"),
                                  {health.pos_inf, "+Inf"},
                                  {health.inf, "Inf"},
                                  {health.nan, "NaN"}}) {
    if (has) text += fmt::format("{}{}", text.empty() ? "" : ", ", kind);
  }
  return Verbatim(text);
}

std::string NanHuntText(const DebugDump& dump, const NanHunt& hunt, NanDetail detail,
                        const Style& style) {
  const Speaker say(style);
  std::string out;
  for (const DebugDamage& damage : dump.damage) {
    out +=
        fmt::format("{} {}\n", style.Paint(Color::kYellow, "!"),
                    say("nan.at-byte", style.Clean(damage.file), damage.offset, damage.sentence));
  }
  if (!hunt.can_tell) return out + CannotTellText(dump, style);
  if (!hunt.source) {
    return out + fmt::format("{} {}\n", style.Paint(Color::kGreen, style.Clean("✔")),
                             say("nan.nothing-bad", dump.executions.size(), dump.traces.size()));
  }
  out += SourceText(dump, hunt, style);
  const size_t most = detail == NanDetail::kAll ? SIZE_MAX : 10;
  if (!hunt.spread.empty()) {
    out += "\n" + RowsText(say("nan.heading.spread"), hunt, hunt.spread, most, style);
  }
  if (!hunt.first_by_graph.empty()) {
    out += "\n" + RowsText(say("nan.heading.first"), hunt, hunt.first_by_graph, most, style);
  }
  std::vector<size_t> all(hunt.all.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  return out + "\n" + RowsText(say("nan.heading.all"), hunt, all, most, style);
}

std::string NanMessagesText(const std::vector<CheckNumericsMessage>& messages, NanDetail detail,
                            const Style& style) {
  const Speaker say(style);
  if (messages.empty()) {
    return fmt::format("{}\n\ntf.debugging.enable_check_numerics()\n\n{}\n\n{}\n",
                       say("nan.no-message"), say("nan.or-dump"), kHowToRecord);
  }
  std::string out;
  const size_t shown = detail == NanDetail::kAll ? messages.size() : 1;
  for (size_t i = 0; i < shown; ++i) {
    const CheckNumericsMessage& one = messages[i];
    out += fmt::format("{} {}{} {}\n",
                       style.Paint(Color::kBold, i == 0 ? say("nan.source") : say("nan.then")),
                       style.Clean(one.op.empty() ? one.op_type : one.op),
                       one.eager ? " " + say("nan.eager") : "", say("nan.line", one.line));
    out += OutputLine(one.slot, one.health, style);
    if (!one.stack.empty()) {
      out +=
          "  " + say("nan.created-at") + "\n" +
          StackText(
              one.stack.size(), [&](size_t f) -> const DebugFrame& { return one.stack[f]; }, style);
    }
  }
  if (shown < messages.size()) {
    out += say("nan.more", messages.size() - shown) + "\n";
  }
  return out;
}

std::string NanScalarsText(const std::vector<NanScalar>& scalars, const Style& style) {
  const Speaker say(style);
  if (scalars.empty()) {
    return style.Paint(Color::kGreen, style.Clean("✔")) + " " + say("nan.all-finite") + "\n";
  }
  Table table(say("nan.heading.scalar"),
              {{"", Align::kLeft, Fit::kShorten},
               {say("nan.column.run"), Align::kLeft, Fit::kShorten},
               {say("nan.column.first-bad"), Align::kRight, Fit::kKeep},
               {say("nan.column.value"), Align::kRight, Fit::kKeep},
               {say("nan.column.last-finite"), Align::kRight, Fit::kKeep},
               {say("nan.column.value"), Align::kRight, Fit::kKeep}});
  for (const NanScalar& one : scalars) {
    table.AddRow({one.tag,
                  one.run,
                  std::to_string(one.first.step),
                  {FormatValue(one.first.value), Color::kRed},
                  one.last_finite ? std::to_string(one.last_finite->step) : say("nan.none"),
                  one.last_finite ? fmt::format("{:.6g}", one.last_finite->value) : ""});
  }
  return table.Render(style) +
         fmt::format("\n{}\n\n{}\n", say("nan.which-op", scalars.front().first.step), kHowToRecord);
}

}  // namespace stepscope
