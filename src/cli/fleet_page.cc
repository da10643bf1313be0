#include "cli/fleet_page.h"

#include <string>

#include "base/json_document.h"
#include "command/options.h"
#include "command/run_verb.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"
#include "present/html/one_file.h"
#include "words/fleet.h"

namespace stepscope {
namespace {

constexpr std::string_view kVerb = "fleet page";
constexpr SayFrom<kFleetTexts> Say;

struct Options {
  std::string data, output;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "--data FILE -o FILE", Say("fleet.help.page"));
  parser.Text("--data", "FILE", Say("fleet.help.page-data"), &options.data);
  parser.Text("-o,--output", "FILE", Say("fleet.help.page-out"), &options.output);
  parser.Example("stepscope fleet page tables -o fleet.html", Say("fleet.help.example-page"));
  return parser;
}

Result<void> WritePage(const Options& options) {
  if (options.data.empty() || options.output.empty()) {
    return Fail(ErrorCode::kUsage, Say("fleet.page-needs"), {}, Say("fleet.see-page-help"));
  }
  const Result<FileBytes> bytes = ReadWhole(options.data);
  if (!bytes) return std::unexpected(bytes.error());
  const std::string_view text(bytes->bytes().data(), bytes->bytes().size());
  const Result<JsonValue> data = ParseJson(text);
  if (!data || (*data)["fleet"].kind() != JsonValue::Kind::kObject) {
    return Fail(ErrorCode::kUsage, Say("fleet.no-page-data"), options.data,
                Say("fleet.see-page-help"));
  }
  const Result<std::string> page = OneFilePage(text);
  return page ? WriteFile(options.output, *page) : std::unexpected(page.error());
}

}  // namespace

int RunFleetPage(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  return ExitCodeAfter(kVerb, WritePage(options));
}

}  // namespace stepscope
