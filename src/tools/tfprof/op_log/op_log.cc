#include "tools/tfprof/op_log/op_log.h"

namespace stepscope {
namespace {

enum LogField : uint32_t { kLogEntry = 1, kLogStrings = 2 };
enum EntryField : uint32_t { kEntryName = 1, kEntryFloatOps = 2, kEntryType = 3, kEntryCode = 4 };
enum CodeField : uint32_t { kCodeTrace = 1 };
enum TraceField : uint32_t {
  kTraceFile = 1,
  kTraceLine = 2,
  kTraceFunction = 3,
  kTraceFunctionStart = 5,
  kTraceFileId = 6,
  kTraceFunctionId = 7,
  kTraceTextId = 8
};

CodeFrame ParseFrame(std::string_view bytes, MessageFaults& faults) {
  CodeFrame frame;
  WalkMessage(bytes, "CodeDef.Trace", faults, [&](const WireReader& r) {
    switch (r.field()) {
      case kTraceFile:
        frame.file = r.Bytes();
        break;
      case kTraceLine:
        frame.line = static_cast<int32_t>(r.Signed());
        break;
      case kTraceFunction:
        frame.function = r.Bytes();
        break;
      case kTraceFunctionStart:
        frame.function_start = static_cast<int32_t>(r.Signed());
        break;
      case kTraceFileId:
        frame.file_id = r.Signed();
        break;
      case kTraceFunctionId:
        frame.function_id = r.Signed();
        break;
      case kTraceTextId:
        frame.text_id = r.Signed();
        break;
      default:
        break;
    }
  });
  return frame;
}

OpLog::Entry ParseEntry(std::string_view bytes, MessageFaults& faults) {
  OpLog::Entry entry;
  WalkMessage(bytes, "OpLogEntry", faults, [&](const WireReader& r) {
    switch (r.field()) {
      case kEntryName:
        entry.name = r.Bytes();
        break;
      case kEntryFloatOps:
        entry.float_ops = r.Signed();
        break;
      case kEntryType:
        entry.types.push_back(r.Bytes());
        break;
      case kEntryCode:
        entry.has_code = true;
        entry.frames = ParseCodeFrames(r.Bytes(), faults);
        break;
      default:
        break;
    }
  });
  return entry;
}

}  // namespace

std::vector<CodeFrame> ParseCodeFrames(std::string_view code_def, MessageFaults& faults) {
  std::vector<CodeFrame> frames;
  WalkMessage(code_def, "CodeDef", faults, [&](const WireReader& r) {
    if (r.field() == kCodeTrace) frames.push_back(ParseFrame(r.Bytes(), faults));
  });
  return frames;
}

StringById ParseStringById(std::string_view entry, MessageFaults& faults) {
  StringById string{0, {}};
  WalkMessage(entry, "id_to_string", faults, [&](const WireReader& r) {
    if (r.field() == 1) string.first = r.Signed();
    if (r.field() == 2) string.second = r.Bytes();
  });
  return string;
}

Result<OpLog> ParseOpLog(const FileBytes& file, const std::string& path, Diagnostics& diagnostics) {
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
  MessageFaults faults(bytes, diagnostics);
  OpLog log;
  log.owner = std::make_shared<FileBytes>(file);
  WalkMessage(bytes, "OpLogProto", faults, [&](const WireReader& r) {
    if (r.field() == kLogEntry) log.entries.push_back(ParseEntry(r.Bytes(), faults));
    if (r.field() == kLogStrings) log.strings.push_back(ParseStringById(r.Bytes(), faults));
  });
  if (log.entries.empty() && diagnostics.CountOf(Diagnostic::kMalformedProtobuf) > 0) {
    return Fail(ErrorCode::kDamaged, "this is not an OpLogProto", path,
                "give the file that tfprof_logger.write_op_log wrote");
  }
  return log;
}

Result<OpLog> ReadOpLog(const std::string& path, Diagnostics& diagnostics) {
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return ParseOpLog(*bytes, path, diagnostics);
}

}  // namespace stepscope
