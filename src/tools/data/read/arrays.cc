#include "tools/data/read/arrays.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <type_traits>

#include "io/input_files.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The text after `'key':` in the Python dict of an npy header.
std::string_view ValueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  const size_t colon = header.find(':', at + key.size());
  if (colon == std::string_view::npos) return {};
  const size_t first = header.find_first_not_of(' ', colon + 1);
  return first == std::string_view::npos ? std::string_view{} : header.substr(first);
}

std::string ReadRange(std::ifstream& file, uint64_t from, uint64_t size) {
  std::string bytes(size, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(from));
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Where the central directory lies, from the record at the end of the archive (and its 64-bit one).
Result<Directory> FindDirectory(std::ifstream& file, uint64_t size, const std::string& path) {
  constexpr uint64_t kMostTail = 65557;  // the record and the longest comment
  const uint64_t tail_at = size - std::min(size, kMostTail);
  const std::string tail = ReadRange(file, tail_at, size - tail_at);
  const size_t at = tail.rfind(std::string_view("PK\x05\x06", 4));
  if (at == std::string::npos || tail.size() - at < 22) {
    return Fail(ErrorCode::kDamaged, Say("data.zip-no-end"), path, Say("data.copy-again"));
  }
  Directory directory{Load<uint32_t>(tail, at + 16), Load<uint32_t>(tail, at + 12)};
  if (directory.offset == UINT32_MAX && at >= 20) {
    const std::string record = ReadRange(file, Load<uint64_t>(tail, at - 20 + 8), 56);
    if (record.starts_with(std::string_view("PK\x06\x06", 4))) {
      directory = {Load<uint64_t>(record, 48), Load<uint64_t>(record, 40)};
    }
  }
  if (directory.offset > size || directory.size > size - directory.offset) {
    return Fail(ErrorCode::kDamaged, Say("data.zip-outside"), path, Say("data.copy-again"));
  }
  return directory;
}

// Sizes of 4 GiB and more stand in an extra field (id 1), in this order, only where needed.
void ReadZip64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const uint16_t id = Load<uint16_t>(extra, 0);
    const size_t size = std::min<size_t>(Load<uint16_t>(extra, 2), extra.size() - 4);
    if (id == 1) {
      size_t at = 4;
      for (uint64_t* field : {&member.uncompressed, &member.compressed, &member.header_offset}) {
        if (*field != UINT32_MAX) continue;
        *field = Load<uint64_t>(extra, at);
        at += 8;
      }
    }
    extra.remove_prefix(4 + size);
  }
}

}  // namespace

Result<NpyHeader> ParseNpyHeader(std::string_view bytes) {
  const auto wrong = [](Message sentence) {
    return Fail(ErrorCode::kDamaged, std::move(sentence), {}, Say("data.write-array"));
  };
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) return wrong(Say("data.no-npy"));
  const bool first_version = bytes[6] == 1;
  const uint64_t length = first_version ? Load<uint16_t>(bytes, 8) : Load<uint32_t>(bytes, 8);
  NpyHeader header;
  const size_t begin = first_version ? 10 : 12;
  header.header_bytes = begin + length;
  if (length > bytes.size() - begin) return wrong(Say("data.npy-cut"));
  const std::string_view text = bytes.substr(begin, length);
  std::string_view type = ValueOf(text, "'descr'");
  if (type.starts_with('\'')) {
    header.type = type.substr(1, type.find('\'', 1) - 1);
  } else {
    header.type = "structured";
  }
  header.fortran_order = ValueOf(text, "'fortran_order'").starts_with("True");
  std::string_view shape = ValueOf(text, "'shape'");
  if (!shape.starts_with('(')) return wrong(Say("data.npy-no-shape"));
  shape = shape.substr(1, shape.find(')') - 1);
  while (!shape.empty()) {
    const size_t digit = shape.find_first_of("0123456789");
    if (digit == std::string_view::npos) break;
    shape.remove_prefix(digit);
    int64_t dim = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), dim);
    if (error != std::errc()) return wrong(Say("data.npy-absurd"));
    header.shape.push_back(dim);
    shape.remove_prefix(static_cast<size_t>(end - shape.data()));
  }
  return header;
}

Result<NpyHeader> ReadNpyHeader(const std::string& path) {
  constexpr uint64_t kEnough = 65536;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(ErrorCode::kCannotRead, Say("data.cannot-open"), path);
  NoteInput(path);
  Result<NpyHeader> header = ParseNpyHeader(ReadRange(file, 0, kEnough));
  if (!header) header.error().file = path;
  return header;
}

Result<std::vector<ZipMember>> ReadZipDirectory(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return Fail(ErrorCode::kCannotRead, Say("data.cannot-open"), path);
  const auto size = static_cast<uint64_t>(file.tellg());
  NoteInput(path);
  const Result<Directory> directory = FindDirectory(file, size, path);
  if (!directory) return std::unexpected(directory.error());
  const std::string bytes = ReadRange(file, directory->offset, directory->size);
  std::vector<ZipMember> members;
  constexpr size_t kEntry = 46;
  for (size_t at = 0; at + kEntry <= bytes.size();) {
    const std::string_view entry = std::string_view(bytes).substr(at);
    if (!entry.starts_with(std::string_view("PK\x01\x02", 4))) break;
    ZipMember& member = members.emplace_back();
    member.deflated = Load<uint16_t>(entry, 10) != 0;
    member.compressed = Load<uint32_t>(entry, 20);
    member.uncompressed = Load<uint32_t>(entry, 24);
    member.header_offset = Load<uint32_t>(entry, 42);
    const size_t name = Load<uint16_t>(entry, 28);
    const size_t extra = Load<uint16_t>(entry, 30);
    const size_t comment = Load<uint16_t>(entry, 32);
    if (kEntry + name > entry.size()) break;
    member.name = entry.substr(kEntry, name);
    ReadZip64(entry.substr(kEntry + name, std::min(extra, entry.size() - kEntry - name)), member);
    at += kEntry + name + extra + comment;
  }
  return members;
}

}  // namespace stepscope
