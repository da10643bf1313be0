#include "fleet/listed_path.h"

#include <sys/stat.h>

#include <unordered_set>

#include "fleet/json_fields.h"
#include "fleet/keyed_hash.h"
#include "io/byte_source.h"
#include "ranks/jobs.h"
#include "words/fleet.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;

Result<ListedPath> FromJson(std::string_view line, const std::string& list, size_t number) {
  const Result<JsonValue> object = ParseJson(line);
  const auto wrong = [&](Message what) {
    return Fail(ErrorCode::kUsage, std::move(what), list, Say("fleet.line"));
  };
  if (!object) return wrong(Say("fleet.line-no-json", number));
  std::optional<std::string> path = TextIn(*object, "path");
  if (!path) return wrong(Say("fleet.line-no-path", number));
  ListedPath listed;
  listed.path = std::move(*path);
  listed.local = TextIn(*object, "local").value_or(listed.path);
  listed.bytes = IntegerIn(*object, "bytes");
  listed.mtime_unix_ns = IntegerIn(*object, "mtime_unix_ns");
  listed.facts = {TextIn(*object, "job_id"),  TextIn(*object, "run_id"),
                  TextIn(*object, "host"),    IntegerIn(*object, "attempt"),
                  IntegerIn(*object, "rank"), IntegerIn(*object, "world_size")};
  if ((*object)["weight"].kind() == JsonValue::Kind::kNumber) {
    listed.weight = (*object)["weight"].AsDouble();
  }
  return listed;
}

void AskFileSystem(ListedPath& listed) {
  struct stat status{};
  if (stat(listed.local.c_str(), &status) != 0) return;
  if (!listed.bytes && S_ISREG(status.st_mode)) listed.bytes = status.st_size;
  if (!listed.mtime_unix_ns) {
    listed.mtime_unix_ns = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
  }
}

}  // namespace

void HashNames(const std::shared_ptr<const std::string>& key, ListedPath& listed) {
  const RankInPath rank = RankOfPath(listed.path);
  if (!listed.facts.rank) listed.facts.rank = rank.rank;
  if (!listed.facts.world_size) listed.facts.world_size = rank.world_size;
  if (!listed.facts.job && !listed.facts.run && listed.facts.rank) {
    listed.facts.run = KeyedHash(*key, rank.rest.substr(0, rank.rest.find_last_of('/') + 1));
  }
  if (listed.facts.host) listed.facts.host = KeyedHash(*key, *listed.facts.host);
  listed.path = KeyedHash(*key, listed.path);
  listed.name_key = key;
}

Result<std::vector<ListedPath>> ParsePathList(std::string_view text, const std::string& name) {
  std::vector<ListedPath> paths;
  std::unordered_set<std::string> seen;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    ListedPath listed;
    if (line.starts_with('{')) {
      Result<ListedPath> parsed = FromJson(line, name, number);
      if (!parsed) return std::unexpected(parsed.error());
      listed = std::move(*parsed);
    } else {
      listed.path = listed.local = line;
    }
    if (!seen.insert(listed.path).second) continue;
    AskFileSystem(listed);
    paths.push_back(std::move(listed));
  }
  return paths;
}

Result<std::vector<ListedPath>> ReadPathList(const std::string& list) {
  const Result<FileBytes> bytes = ReadWhole(list);
  if (!bytes) return std::unexpected(bytes.error());
  return ParsePathList({bytes->bytes().data(), bytes->bytes().size()}, list);
}

}  // namespace stepscope::fleet
