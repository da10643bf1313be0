#include "record/python_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <utility>

#include "record/elf_symbols.h"
#include "record/line_table.h"

namespace stepscope {
namespace {

constexpr size_t kDeepest = 4096;
constexpr size_t kMostThreads = 1024;
constexpr size_t kFrameBytes = 112;  // all fields of any version's frame
constexpr size_t kCodeBytes = 208;   // the same for code objects
constexpr size_t kStringHead = 64;   // length and state of a str
constexpr size_t kLongestText = 4096;
constexpr size_t kLongestTable = size_t{1} << 20;

struct Mapping {
  uint64_t start = 0;
  std::string path;
};

// The files that hold an interpreter, at their first mapping.
std::vector<Mapping> InterpreterFiles(pid_t pid) {
  std::vector<Mapping> found;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    const std::string name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with("python") && !name.starts_with("libpython3")) continue;
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Mapping& m) { return m.path == path; });
    if (known) continue;
    Mapping mapping;
    std::from_chars(line.data(), line.data() + line.size(), mapping.start, 16);
    mapping.path = path;
    found.push_back(mapping);
  }
  return found;
}

// "python3.10", "libpython3.9.so.1.0" → 10, 9; -1 when the name does not tell.
int MinorOfName(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const size_t at = name.find("python3.");
  if (at == std::string::npos) return -1;
  int minor = -1;
  std::from_chars(name.data() + at + 8, name.data() + name.size(), minor);
  return minor;
}

template <typename T>
T FieldAt(const char* bytes, int offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

// Builds without the GIL and 3.14 are read by their own table; the rest by what we know of them.
std::optional<PythonLayout> LayoutIn(ProcessMemory& memory, int minor, uint64_t runtime) {
  std::array<uint64_t, kOffsetTableWords> table{};
  const std::span<char> bytes(reinterpret_cast<char*>(table.data()), sizeof table);
  const bool has_table = minor >= kFirstWithTable && memory.Read(runtime, bytes);
  const PythonLayout* known = LayoutOfPython(minor);
  if (known != nullptr && (!has_table || table[kFreeThreadedWord] == 0)) return *known;
  std::optional<PythonLayout> layout;
  if (has_table) layout = LayoutFromTable(table);
  if (!layout) return std::nullopt;
  const auto fits = [](int offset, size_t size) { return offset + 8 <= static_cast<int>(size); };
  const bool readable =
      fits(layout->frame_back, kFrameBytes) && fits(layout->frame_code, kFrameBytes) &&
      fits(layout->frame_instruction, kFrameBytes) && fits(layout->frame_copy, kFrameBytes) &&
      fits(layout->code_filename, kCodeBytes) && fits(layout->code_name, kCodeBytes) &&
      fits(layout->code_qualname, kCodeBytes) && fits(layout->code_first_line, kCodeBytes) &&
      fits(layout->code_line_table, kCodeBytes) && fits(layout->object_type, kCodeBytes) &&
      fits(layout->string_length, kStringHead) && fits(layout->string_state, kStringHead);
  return readable ? layout : std::nullopt;
}

}  // namespace

PythonProcess::Attempt PythonProcess::Find(pid_t pid, std::optional<PythonProcess>& found,
                                           std::string& version) {
  constexpr std::array<std::string_view, 3> kNames{"_PyRuntime", "Py_Version", "PyCode_Type"};
  for (const Mapping& mapping : InterpreterFiles(pid)) {
    static std::map<std::string, ElfSymbols> known;
    const auto [at, added] = known.try_emplace(mapping.path);
    if (added) at->second = FindElfSymbols(mapping.path, kNames);
    const ElfSymbols& symbols = at->second;
    if (!symbols.values.contains("_PyRuntime") || !symbols.values.contains("PyCode_Type")) continue;
    const auto address = [&](const char* name) {
      const uint64_t value = symbols.values.at(name);
      return symbols.relocated ? mapping.start - symbols.first_load + value : value;
    };
    int minor = MinorOfName(mapping.path);
    ProcessMemory memory(pid);
    if (symbols.values.contains("Py_Version")) {
      const auto number = memory.Read<uint32_t>(address("Py_Version")).value_or(0);
      if (number >> 24 == 3) minor = static_cast<int>((number >> 16) & 0xff);
    }
    version = minor < 0 ? "" : fmt::format("3.{}", minor);
    const std::optional<PythonLayout> layout = LayoutIn(memory, minor, address("_PyRuntime"));
    if (!layout) return memory.refused() ? Attempt::kNotPython : Attempt::kUnsupported;
    found.emplace(PythonProcess(pid, *layout, address("_PyRuntime"), address("PyCode_Type")));
    return Attempt::kFound;
  }
  return Attempt::kNotPython;
}

bool PythonProcess::Sample(std::vector<SampledThread>& threads) {
  threads.clear();
  const uint64_t interpreter = Pointer(runtime_ + static_cast<uint64_t>(layout_.interpreters_head));
  if (interpreter == 0) return false;
  uint64_t thread = Pointer(interpreter + static_cast<uint64_t>(layout_.threads_head));
  for (size_t i = 0; thread != 0 && i < kMostThreads; ++i) {
    SampledThread sampled;
    if (SampleThread(thread, sampled)) threads.push_back(std::move(sampled));
    thread = Pointer(thread + static_cast<uint64_t>(layout_.thread_next));
  }
  return true;
}

int64_t PythonProcess::OffsetOf(const char* frame, uint64_t code) {
  if (layout_.code_start < 0) {
    // In 3.10 the number counts units of two bytes.
    const int64_t number = FieldAt<int32_t>(frame, layout_.frame_instruction);
    return layout_.minor >= 10 ? number * 2 : number;
  }
  const auto instruction = FieldAt<uint64_t>(frame, layout_.frame_instruction);
  const int32_t copy = layout_.frame_copy < 0 ? 0 : FieldAt<int32_t>(frame, layout_.frame_copy);
  if (copy > 0) {
    // A count, then the address of each copy.
    const uint64_t copies = Pointer(code + static_cast<uint64_t>(layout_.code_copies));
    const uint64_t start = copies == 0 ? 0 : Pointer(copies + 8 + 8 * static_cast<uint64_t>(copy));
    if (start != 0) return static_cast<int64_t>(instruction - start);
  }
  return static_cast<int64_t>(instruction - code) - layout_.code_start;
}

bool PythonProcess::SampleThread(uint64_t thread, SampledThread& sampled) {
  sampled.native = layout_.native_id >= 0;
  sampled.thread = Pointer(
      thread + static_cast<uint64_t>(sampled.native ? layout_.native_id : layout_.thread_id));
  uint64_t frame = Pointer(thread + static_cast<uint64_t>(layout_.thread_frame));
  if (layout_.cframe_frame >= 0 && frame != 0) {
    frame = Pointer(frame + static_cast<uint64_t>(layout_.cframe_frame));
  }
  std::array<char, kFrameBytes> bytes;
  for (size_t depth = 0; frame != 0; ++depth) {
    if (depth == kDeepest || !memory_.Read(frame, bytes)) return false;
    // 3.14 marks references in the two lowest bits.
    const uint64_t code_address =
        FieldAt<uint64_t>(bytes.data(), layout_.frame_code) & ~uint64_t{3};
    const Code* code = CodeAt(code_address);
    if (code != nullptr) {
      const int64_t offset = OffsetOf(bytes.data(), code_address);
      sampled.lines.push_back({&code->function, &code->file,
                               LineAt(layout_.minor, code->line_table, code->first_line, offset)});
    }
    frame = FieldAt<uint64_t>(bytes.data(), layout_.frame_back);
  }
  std::reverse(sampled.lines.begin(), sampled.lines.end());
  return !sampled.lines.empty();
}

// Null for what is no code object: a frame that only marks an entry, or a torn read.
const PythonProcess::Code* PythonProcess::CodeAt(uint64_t address) {
  std::array<char, kCodeBytes> bytes;
  if (address == 0 || !memory_.Read(address, bytes)) return nullptr;
  if (FieldAt<uint64_t>(bytes.data(), layout_.object_type) != code_type_) return nullptr;
  Code code;
  code.filename = FieldAt<uint64_t>(bytes.data(), layout_.code_filename);
  code.name = FieldAt<uint64_t>(
      bytes.data(), layout_.code_qualname >= 0 ? layout_.code_qualname : layout_.code_name);
  code.first_line = FieldAt<int32_t>(bytes.data(), layout_.code_first_line);
  code.line_table_address = FieldAt<uint64_t>(bytes.data(), layout_.code_line_table);
  // The address may have been used again by another function.
  if (const auto known = codes_.find(address);
      known != codes_.end() && known->second.filename == code.filename &&
      known->second.name == code.name && known->second.first_line == code.first_line &&
      known->second.line_table_address == code.line_table_address) {
    return &known->second;
  }
  code.function = Text(code.name);
  code.file = Text(code.filename);
  code.line_table = Bytes(code.line_table_address);
  if (code.function.empty() || code.file.empty()) return nullptr;
  if (code.file.starts_with("<shim>") || code.function == "<interpreter trampoline>") {
    return nullptr;
  }
  return &(codes_[address] = std::move(code));
}

// A str. ASCII ones are stored as they are; others one, two or four bytes a character.
std::string PythonProcess::Text(uint64_t address) {
  std::array<char, kStringHead> head;
  const std::span<char> fields(head.data(), static_cast<size_t>(layout_.string_state) + 8);
  if (address == 0 || !memory_.Read(address, fields)) return {};
  const auto length = FieldAt<int64_t>(head.data(), layout_.string_length);
  const auto state = FieldAt<uint32_t>(head.data(), layout_.string_state) >> layout_.interned_bits;
  const uint32_t width = state & 7;
  const bool ascii = ((state >> 4) & 1) != 0;
  if (length <= 0 || length > static_cast<int64_t>(kLongestText)) return {};
  if (width != 1 && width != 2 && width != 4) return {};
  // Up to 3.11 a pointer to wide characters came in between as well.
  const int wide_data = layout_.string_ascii + (layout_.minor <= 11 ? 24 : 16);
  std::string bytes(static_cast<size_t>(length) * width, '\0');
  const auto data = static_cast<uint64_t>(ascii ? layout_.string_ascii : wide_data);
  if (!memory_.Read(address + data, bytes)) return {};
  if (ascii) return bytes;
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += width) {
    uint32_t c = 0;
    std::memcpy(&c, bytes.data() + i, width);
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += static_cast<char>(0xc0 | (c >> 6));
      text += static_cast<char>(0x80 | (c & 63));
    } else {
      if (c >= 0x10000) text += static_cast<char>(0xf0 | ((c >> 18) & 7));
      text += static_cast<char>(c >= 0x10000 ? 0x80 | ((c >> 12) & 63) : 0xe0 | (c >> 12));
      text += static_cast<char>(0x80 | ((c >> 6) & 63));
      text += static_cast<char>(0x80 | (c & 63));
    }
  }
  return text;
}

// A bytes object: its length, then the data after the hash.
std::string PythonProcess::Bytes(uint64_t address) {
  const auto length =
      memory_.Read<int64_t>(address + static_cast<uint64_t>(layout_.bytes_length)).value_or(0);
  if (address == 0 || length <= 0 || length > static_cast<int64_t>(kLongestTable)) return {};
  std::string bytes(static_cast<size_t>(length), '\0');
  if (!memory_.Read(address + static_cast<uint64_t>(layout_.bytes_data), bytes)) return {};
  return bytes;
}

}  // namespace stepscope
