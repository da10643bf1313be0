#include <string>
#include <vector>

#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/verb.h"
#include "io/byte_source.h"
#include "tools/doctor/doctor.h"
#include "tools/doctor/doctor_text.h"
#include "tools/doctor/log_explanations.h"
#include "tools/doctor/machine/machine.h"
#include "tools/doctor/machine/python_packages.h"

namespace stepscope {
namespace {

struct DoctorOptions {
  OutputOptions output;
  std::string root, python, log;
  bool csv = false;
};

OptionParser ParserFor(DoctorOptions& options) {
  OptionParser parser(
      "doctor", "[--python PATH] [--log FILE]",
      "Says whether this machine can profile and whether the framework is built for\n"
      "it: CPU, memory, GPUs, CUDA libraries, frameworks (read, not imported),\n"
      "environment variables and thread pools.");
  parser.Text("--python", "PATH", "the Python, virtual environment or packages to look into",
              &options.python);
  parser.Text("--log", "FILE", "explain the lines of a job's log that matter", &options.log);
  parser.Text("--root", "DIR", "a recorded machine: a tree of /proc and /sys, nvml.json, environ",
              &options.root);
  parser.Flag("--csv", "one row per check", &options.csv);
  AddOutputOptions(parser, &options.output);
  parser.Example("stepscope doctor", "this machine and the python3 on the search path");
  parser.Example("stepscope doctor --python ~/venv/bin/python --json > machine.json",
                 "for advise --machine");
  parser.Example("stepscope doctor --log train.log", "what the warnings mean");
  return parser;
}

Result<std::string> Explain(const DoctorOptions& options) {
  const Result<FileBytes> log = ReadWhole(options.log);
  if (!log) return std::unexpected(log.error());
  const auto explanations = ExplainLog({log->bytes().data(), log->bytes().size()});
  if (options.output.json) return LogJson(explanations);
  if (options.csv) return LogCsv(explanations);
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
  const std::vector<Check> captures = CheckCaptures(FindCapturable(root + "/proc"));
  examination.checks.insert(examination.checks.end(), captures.begin(), captures.end());
  examination.threads = AdviseThreads(patient.machine);
  return examination;
}

Result<std::string> Run(const DoctorOptions& options) {
  if (!options.log.empty()) return Explain(options);
  const Examination examination = ExamineMachine(options);
  if (!options.root.empty() && examination.patient.machine.cpu.logical == 0) {
    return Fail(ErrorCode::kCannotRead, "There is no /proc/cpuinfo below this root", options.root,
                "Record one: docs/doctor.md says which files.");
  }
  if (options.output.json) return DoctorJson(examination);
  if (options.csv) return DoctorCsv(examination.checks);
  return DoctorText(examination, StyleFor(options.output));
}

}  // namespace

int RunDoctor(std::span<char*> arguments) {
  DoctorOptions options;
  const OptionParser parser = ParserFor(options);
  const auto outcome = parser.Parse(arguments);
  if (!outcome) return PrintError("doctor", outcome.error());
  const Result<std::string> text =
      *outcome == OptionParser::Outcome::kHelp ? parser.Help() : Run(options);
  if (!text) return PrintError("doctor", text.error());
  const Result<void> written = WriteOut(*text);
  return written ? kExitFine : PrintError("doctor", written.error());
}

}  // namespace stepscope
