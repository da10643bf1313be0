#include "tools/doctor/doctor_text.h"

#include <fmt/format.h>

#include "present/csv.h"
#include "present/json_writer.h"
#include "present/table.h"
#include "present/units.h"
#include "words/doctor.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDoctorTexts> Say;

struct Mark {
  const char* text;
  const char* name;
  Color color;
};
Mark MarkOf(CheckStatus status) {
  switch (status) {
    case CheckStatus::kFine:
      return {"✔", "ok", Color::kGreen};
    case CheckStatus::kNote:
      return {"!", "note", Color::kYellow};
    case CheckStatus::kBad:
      return {"✗", "bad", Color::kRed};
  }
  std::unreachable();
}

std::string Line(CheckStatus status, const Messages& sentence, const Messages& fix,
                 const Style& style) {
  const Mark mark = MarkOf(status);
  const char* ascii = status == CheckStatus::kFine ? "+" : status == CheckStatus::kNote ? "!" : "x";
  std::string out = fmt::format("{} {}\n", style.Paint(mark.color, style.ascii ? ascii : mark.text),
                                style.Clean(style.Say(sentence)));
  if (!fix.empty()) {
    out += fmt::format("    {} {}\n", style.ascii ? "->" : "→", style.Clean(style.Say(fix)));
  }
  return out;
}

std::string LinkTable(const Machine& machine, const Style& style) {
  if (machine.links.size() < 2) return "";
  std::vector<Column> columns{{"", Align::kLeft, Fit::kKeep}};
  for (size_t i = 0; i < machine.links.size(); ++i) {
    columns.push_back({fmt::format("GPU {}", i), Align::kLeft, Fit::kKeep});
  }
  Table table(style.Say(Say("doctor.links")), std::move(columns));
  for (size_t i = 0; i < machine.links.size(); ++i) {
    std::vector<Cell> cells{fmt::format("GPU {}", i)};
    for (const std::string& link : machine.links[i]) cells.emplace_back(link);
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

}  // namespace

std::string DoctorText(const Examination& examination, const Style& style) {
  const Machine& machine = examination.patient.machine;
  std::string out;
  if (!machine.hostname.empty()) {
    out +=
        fmt::format("{} (Linux {})\n", style.Clean(machine.hostname), style.Clean(machine.kernel));
  }
  std::string area;
  for (const Check& check : examination.checks) {
    if (check.area != area) {
      if (area == "gpu") out += LinkTable(machine, style);
      area = check.area;
      out += fmt::format("\n{}\n", style.Paint(Color::kBold, area));
    }
    out += Line(check.status, check.sentence, check.fix, style);
  }
  out += fmt::format("\n{}\n", style.Paint(Color::kBold, style.Say(Say("doctor.threads"))));
  for (const Message& line : examination.threads.lines) {
    out += fmt::format("  {}\n", style.Clean(style.Say(line)));
  }
  return out;
}

std::string DoctorCsv(const std::vector<Check>& checks, Language language) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"area", "status", "sentence", "fix"});
  for (const Check& check : checks) {
    csv.Row(check.area, MarkOf(check.status).name, Render(check.sentence, language),
            Render(check.fix, language));
  }
  return out;
}

std::string LogText(const std::vector<LogExplanation>& explanations, const Style& style) {
  if (explanations.empty()) {
    return style.Say(Say("doctor.log-nothing")) + '\n';
  }
  std::string out;
  for (const LogExplanation& one : explanations) {
    out += Line(one.status, one.means, one.fix, style);
    const std::string line =
        style.Paint(Color::kDim, style.ShortenTail(one.line, style.width - 20));
    out += "    " +
           style.Say(one.times > 1 ? Say("doctor.log-lines", one.first_line, one.times - 1, line)
                                   : Say("doctor.log-line", one.first_line, line)) +
           '\n';
  }
  return out;
}

std::string LogJson(const std::vector<LogExplanation>& explanations, Language language) {
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.doctor.log/1");
  json.Key("lines");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const LogExplanation& one : explanations) {
    json.BeginObject();
    json.Field("line", one.first_line);
    json.Field("times", one.times);
    json.Field("status", MarkOf(one.status).name);
    json.Field("text", one.line);
    json.Field("means", one.means);
    json.Field("fix", one.fix);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return out + "\n";
}

std::string LogCsv(const std::vector<LogExplanation>& explanations, Language language) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"line", "times", "status", "means", "fix", "text"});
  for (const LogExplanation& one : explanations) {
    csv.Row(one.first_line, one.times, MarkOf(one.status).name, Render(one.means, language),
            Render(one.fix, language), one.line);
  }
  return out;
}

}  // namespace stepscope
