#include "serve/uploads.h"

#include <cstdlib>
#include <fstream>
#include <system_error>

#include "present/json_writer.h"
#include "serve/trace_api.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

namespace fs = std::filesystem;

// A directory that only this user can read; empty when none can be made.
fs::path PrivateDirectory() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "stepscope-uploads-XXXXXX").string();
  return error || mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

enum class Outcome : uint8_t { kWhole, kCut, kNoRoom };

Outcome Receive(const HttpRequest& request, const fs::path& place) {
  std::ofstream file(place, std::ios::binary);
  uint64_t got = 0;
  while (got < request.body_bytes) {
    const std::string part = request.read_body();
    if (part.empty()) return Outcome::kCut;
    got += part.size();
    if (!file.write(part.data(), static_cast<std::streamsize>(part.size())))
      return Outcome::kNoRoom;
  }
  return file.flush() ? Outcome::kWhole : Outcome::kNoRoom;
}

HttpAnswer NumberAnswer(std::string_view name, uint64_t number) {
  HttpAnswer answer;
  JsonWriter json(answer.body);
  json.BeginObject();
  json.Field(name, number);
  json.EndObject();
  return answer;
}

}  // namespace

std::string SafeFileName(std::string_view name) {
  constexpr size_t kLongest = 120;
  name = name.substr(name.find_last_of("/\\") + 1);                        // npos + 1 is 0
  if (name.size() > kLongest) name.remove_prefix(name.size() - kLongest);  // the end has the type
  std::string safe;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    safe += plain ? c : '_';
  }
  safe.erase(0, std::min(safe.find_first_not_of('.'), safe.size()));
  return safe.empty() ? "profile" : safe;
}

fs::path Uploads::PlaceFor(std::string_view name, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (closed_ || taken_ + bytes > kMostOfAll) return {};
  if (directory_.empty()) directory_ = PrivateDirectory();
  if (directory_.empty()) return {};
  // Each file has a folder of its own, so that two of one name are two profiles.
  const fs::path folder = directory_ / std::to_string(++files_);
  std::error_code error;
  if (!fs::create_directory(folder, error)) return {};
  taken_ += bytes;
  return folder / SafeFileName(name);
}

HttpAnswer Uploads::Answer(const HttpRequest& request) {
  if (request.method != "POST") return NumberAnswer("most_bytes", kMostBytes);
  if (request.body_bytes == 0) return Refusal(400, Say("serve.empty-file"));
  const auto name = request.parameters.find("name");
  const fs::path place =
      PlaceFor(name == request.parameters.end() ? "" : name->second, request.body_bytes);
  if (place.empty()) {
    return Refusal(503, Say("serve.no-room"));
  }
  const Outcome outcome = Receive(request, place);
  if (outcome == Outcome::kWhole) return NumberAnswer("id", add_({place.string()}));
  std::error_code ignored;
  fs::remove_all(place.parent_path(), ignored);
  const std::lock_guard lock(mutex_);
  taken_ -= request.body_bytes;
  return outcome == Outcome::kCut ? Refusal(400, Say("serve.file-cut"))
                                  : Refusal(503, Say("serve.not-stored"));
}

void Uploads::Clear() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  std::error_code ignored;
  if (!directory_.empty()) fs::remove_all(directory_, ignored);
  directory_.clear();
}

}  // namespace stepscope
