#include "read/tfevents/event.h"

namespace stepscope {
namespace {

void ParseSessionLog(std::string_view message, Event& event) {
  for (WireReader r(message); r.Next();) {
    if (r.field() == 1) event.status = static_cast<SessionStatus>(r.Unsigned() & 3);
  }
}

void ParseTaggedRunMetadata(std::string_view message, Event& event) {
  event.payload = {};
  for (WireReader r(message); r.Next();) {
    if (r.field() == 1) event.tag = r.Bytes();
    if (r.field() == 2) event.payload = r.Bytes();
  }
}

void ParseMetadata(std::string_view message, SummaryValue& value) {
  value.has_metadata = true;
  for (WireReader r(message); r.Next();) {
    if (r.field() == 3) value.description = r.Bytes();
    if (r.field() != 1) continue;
    for (WireReader plugin(r.Bytes()); plugin.Next();) {
      if (plugin.field() == 1) value.plugin = plugin.Bytes();
    }
  }
}

bool ParseValue(std::string_view message, SummaryValue& value) {
  using Kind = SummaryValue::Kind;
  WireReader r(message);
  const auto holds = [&](Kind kind) {
    value.kind = kind;
    value.payload = r.Bytes();
  };
  while (r.Next()) {
    switch (r.field()) {
      case 1:
        value.tag = r.Bytes();
        break;
      case 2:
        value.kind = Kind::kSimpleValue;
        value.simple_value = r.Float();
        break;
      case 3:
        holds(Kind::kObsoleteHistogram);
        break;
      case 4:
        holds(Kind::kImage);
        break;
      case 5:
        holds(Kind::kHistogram);
        break;
      case 6:
        holds(Kind::kAudio);
        break;
      case 8:
        holds(Kind::kTensor);
        break;
      case 9:
        ParseMetadata(r.Bytes(), value);
        break;
      default:
        break;
    }
  }
  return r.ok();
}

}  // namespace

bool ParseEvent(std::string_view record, Event& event) {
  event = {};
  WireReader r(record);
  const auto holds = [&](EventWhat what) {
    event.what = what;
    event.payload = r.Bytes();
  };
  while (r.Next()) {
    switch (r.field()) {
      case 1:
        event.wall_time = r.Double();
        break;
      case 2:
        event.step = r.Signed();
        break;
      case 3:
        holds(EventWhat::kFileVersion);
        break;
      case 4:
        holds(EventWhat::kGraphDef);
        break;
      case 5:
        holds(EventWhat::kSummary);
        break;
      case 6:
        holds(EventWhat::kLogMessage);
        break;
      case 7:
        holds(EventWhat::kSessionLog);
        ParseSessionLog(r.Bytes(), event);
        break;
      case 8:
        holds(EventWhat::kRunMetadata);
        ParseTaggedRunMetadata(r.Bytes(), event);
        break;
      case 9:
        holds(EventWhat::kMetaGraphDef);
        break;
      default:
        break;
    }
  }
  return r.ok();
}

bool SummaryValues::Next(SummaryValue& value) {
  while (ok_ && reader_.Next()) {
    if (reader_.field() != 1) continue;
    value = {};
    ok_ = ParseValue(reader_.Bytes(), value);
    return ok_;
  }
  return false;
}

}  // namespace stepscope
