#include <string>
#include <vector>

#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "io/byte_source.h"
#include "tools/doctor/doctor.h"
#include "tools/doctor/doctor_text.h"
#include "tools/doctor/log_explanations.h"
#include "tools/doctor/machine/machine.h"
#include "tools/doctor/machine/python_packages.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

struct DoctorOptions {
  OutputOptions output;
  std::string root, python, log;
  bool csv = false;
};

OptionParser ParserFor(DoctorOptions& options) {
  OptionParser parser("doctor", "[--python PATH] [--log FILE]", Say("doctor.about"));
  parser.Text("--python", "PATH", Say("doctor.python"), &options.python);
  parser.Text("--log", "FILE", Say("doctor.log"), &options.log);
  parser.Text("--root", "DIR", Say("doctor.root"), &options.root);
  parser.Flag("--csv", Say("doctor.csv"), &options.csv);
  AddOutputOptions(parser, &options.output);
  parser.Example("stepscope doctor", Say("doctor.example"));
  parser.Example("stepscope doctor --python ~/venv/bin/python --json > machine.json",
                 Say("doctor.example-json"));
  parser.Example("stepscope doctor --log train.log", Say("doctor.example-log"));
  return parser;
}

Result<std::string> Explain(const DoctorOptions& options) {
  const Result<FileBytes> log = ReadWhole(options.log);
  if (!log) return std::unexpected(log.error());
  const auto explanations = ExplainLog({log->bytes().data(), log->bytes().size()});
  if (options.output.json) return LogJson(explanations, JsonLanguage(options.output));
  if (options.csv) return LogCsv(explanations, JsonLanguage(options.output));
  return LogText(explanations, StyleFor(options.output));
}

std::string VariableOf(const Machine& machine, const char* name) {
  const auto set = machine.environment.find(name);
  return set == machine.environment.end() ? "" : set->second;
}

Examination ExamineMachine(const DoctorOptions& options) {
  std::string root = options.root;
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  const RootFiles files(root);
  Examination examination;
  Patient& patient = examination.patient;
  patient.machine = ReadMachine(files);
  patient.python = FindPython(files, options.python, VariableOf(patient.machine, "PATH"));
  patient.frameworks = FindFrameworks(files, patient.python);
  patient.protobuf = FindProtobuf(
      files, patient.python, VariableOf(patient.machine, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"));
  patient.machine.libraries = FindCudaLibraries(
      files, NvidiaLibraryDirectories(files, patient.python), patient.machine.environment);
  examination.checks = Examine(patient);
  const std::vector<Check> recording = CheckRecording(patient, files);
  examination.checks.insert(examination.checks.end(), recording.begin(), recording.end());
  const std::vector<Check> captures = CheckCaptures(FindCapturable(root + "/proc"));
  examination.checks.insert(examination.checks.end(), captures.begin(), captures.end());
  examination.threads = AdviseThreads(patient.machine);
  return examination;
}

Result<std::string> Run(const DoctorOptions& options) {
  if (!options.log.empty()) return Explain(options);
  const Examination examination = ExamineMachine(options);
  if (!options.root.empty() && examination.patient.machine.cpu.logical == 0) {
    return Fail(ErrorCode::kCannotRead, Say("doctor.no-cpuinfo"), options.root,
                Say("doctor.record-one"));
  }
  if (options.output.json) return DoctorJson(examination, JsonLanguage(options.output));
  if (options.csv) return DoctorCsv(examination.checks, JsonLanguage(options.output));
  return DoctorText(examination, StyleFor(options.output));
}

}  // namespace

int RunDoctor(std::span<char*> arguments) {
  DoctorOptions options;
  const OptionParser parser = ParserFor(options);
  if (const auto ended = ParseOrHelp("doctor", parser, arguments)) return *ended;
  return ExitCodeAfter("doctor", Run(options));
}

}  // namespace stepscope
