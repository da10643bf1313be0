#include "tools/doctor/machine/root_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace stepscope {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::optional<std::string> RootFiles::Text(std::string_view path) const {
  constexpr size_t kMost = size_t{4} << 20;
  std::ifstream file(PathOf(path), std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kMost, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<int64_t> RootFiles::Number(std::string_view path) const {
  const auto text = Text(path);
  if (!text) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> RootFiles::List(std::string_view path) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(PathOf(path), error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

bool RootFiles::Exists(std::string_view path) const {
  std::error_code error;
  return std::filesystem::exists(PathOf(path), error);
}

std::vector<int> ParseCpuList(std::string_view text) {
  constexpr int kMost = 65536;
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::string_view item = Trim(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.find(','), text.size() - 1) + 1);
    int first = 0;
    int last = 0;
    const char* end = item.data() + item.size();
    const auto [at, error] = std::from_chars(item.data(), end, first);
    if (error != std::errc()) continue;
    last = first;
    if (at != end && *at == '-') std::from_chars(at + 1, end, last);
    for (int cpu = first; cpu <= std::min(last, kMost); ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::optional<std::string> FieldOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || Trim(line.substr(0, colon)) != key) continue;
    return std::string(Trim(line.substr(colon + 1)));
  }
  return std::nullopt;
}

}  // namespace stepscope
