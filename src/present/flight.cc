#include "present/flight.h"

#include <fmt/format.h>

#include <algorithm>

#include "present/report_sections.h"
#include "present/units.h"
#include "words/ranks.h"

namespace stepscope {
namespace {

using enum JsonWriter::Layout;

constexpr SayFrom<kRanksTexts> Say;
constexpr size_t kShownFrames = 12;

Message RanksWords(const std::vector<int64_t>& ranks) {
  if (ranks.size() == 1) return Say("flight.rank", ranks.front());
  return Say("flight.ranks", fmt::format("{}", fmt::join(ranks, ", ")));
}

Message SentenceOf(const FlightFinding& finding) {
  const Message ranks = RanksWords(finding.ranks);
  const int64_t sequence = finding.sequence;
  const std::string &group = finding.group, &call = finding.call, &other = finding.other;
  switch (finding.kind) {
    case FlightFindingKind::kMissing:
      return Say(
          "flight.missing", ranks, sequence, group, call,
          other.empty() ? Messages(Say("flight.nothing")) : Messages(Say("flight.call", other)));
    case FlightFindingKind::kTypeDiffers:
      return Say("flight.type_differs", ranks, other, sequence, group, call);
    case FlightFindingKind::kSizeDiffers:
      return Say("flight.size_differs", ranks, sequence, group, other, call);
    case FlightFindingKind::kUnmatched:
      return Say("flight.unmatched", ranks, call, sequence, group);
    case FlightFindingKind::kNotStarted:
      return Say("flight.not_started", sequence, group, call);
    case FlightFindingKind::kNotCompleted:
      return Say("flight.not_completed", ranks, sequence, group, call);
    case FlightFindingKind::kNoDump:
      break;
  }
  return Say("flight.no_dump", ranks);
}

}  // namespace

std::string FlightText(std::span<const FlightDump> dumps, std::span<const FlightFinding> findings,
                       std::span<const Error> failed, const Style& style) {
  const SayIn<kRanksTexts> say(style);
  size_t entries = 0;
  for (const FlightDump& dump : dumps) entries += dump.entries.size();
  std::string out = Labelled(style, say("ranks.job"), say("flight.dumps", dumps.size(), entries));
  if (findings.empty()) out += Labelled(style, say("flight.label"), say("flight.fine"));
  for (const FlightFinding& finding : findings) {
    out += Labelled(style, say("flight.label"), style.Clean(style.Say(SentenceOf(finding))));
    const size_t shown = std::min(finding.stack.size(), kShownFrames);
    for (size_t i = 0; i < shown; ++i) {
      out += Labelled(style, i == 0 ? say("flight.stack") : "", style.Clean(finding.stack[i]));
    }
  }
  for (const Error& error : failed) {
    out += Labelled(style, say("ranks.not-read"),
                    style.Clean(error.file + ": " + style.Say(error.sentence)));
  }
  return out;
}

void WriteFlightJson(std::span<const FlightDump> dumps, std::span<const FlightFinding> findings,
                     std::span<const Error> failed, JsonWriter& json) {
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.ranks/1");
  int64_t world = 0;
  json.Key("ranks_present");
  json.BeginArray();
  for (const FlightDump& dump : dumps) {
    json.Value(dump.rank);
    world = std::max(world, dump.rank + 1);
    for (const auto& [name, group] : dump.groups) {
      if (!group.ranks.empty()) world = std::max(world, group.ranks.back() + 1);
    }
  }
  json.EndArray();
  json.Field("world_size", world);
  json.Key("flight_recorder");
  json.BeginArray(kLines);
  for (const FlightFinding& finding : findings) {
    json.BeginObject();
    json.Field("kind", NameOf(finding.kind));
    json.Field("group", finding.group);
    json.Field("sequence", finding.sequence < 0 ? std::optional<int64_t>() : finding.sequence);
    json.Field("collective", finding.call);
    json.Key("ranks");
    json.BeginArray();
    for (const int64_t rank : finding.ranks) json.Value(rank);
    json.EndArray();
    json.Field("other", finding.other.empty() ? std::optional<std::string>() : finding.other);
    json.Key("stack");
    json.BeginArray();
    for (const std::string& frame : finding.stack) json.Value(frame);
    json.EndArray();
    const Message sentence = SentenceOf(finding);
    json.Field("sentence", sentence);
    json.IdAndArgs(sentence);
    json.EndObject();
  }
  json.EndArray();
  json.Key("not_read");
  json.BeginArray(kLines);
  for (const Error& error : failed) {
    json.BeginObject();
    json.Field("path", error.file);
    json.Field("sentence", error.sentence);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace stepscope
