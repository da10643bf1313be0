#include "diff/diff_html.h"

#include <filesystem>

#include "base/task_pool.h"
#include "diff/baseline.h"
#include "diff/diff_output.h"
#include "present/html/one_file.h"
#include "present/html/page_files.h"
#include "present/json_writer.h"
#include "read/open.h"
#include "study/reported.h"

namespace stepscope::diff {
namespace {

constexpr size_t kTileBytes = 500'000;  // of each side, before base64

// What the page draws of the first profile of a side; null for a stored baseline.
Result<std::string> SideData(const std::string& path, Language language,
                             const StudyOptions& options) {
  Result<std::optional<std::vector<Run>>> stored = ReadStoredRuns(path);
  if (!stored) return std::unexpected(std::move(stored.error()));
  const bool is_trace = FileTypeAt(path) != FileType::kTfprofProfile;
  if (*stored || !is_trace) return std::string("null");
  Result<std::unique_ptr<Study>> study = Study::Open({path}, options);
  if (!study) return std::unexpected(std::move(study.error()));
  const std::vector<Reported> reported = (*study)->reported();
  TaskPool pool(options.threads);
  return OneFileData(std::span(reported).first(1), nullptr, language, kTileBytes, pool);
}

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

Result<std::string> DiffHtml(const Diff& diff, const std::vector<std::string>& base_paths,
                             const std::vector<std::string>& now_paths, Language language,
                             const StudyOptions& options) {
  if (!HasPage()) return OneFilePage({});
  std::string data;
  JsonWriter json(data);
  json.BeginObject();
  json.Field("version", STEPSCOPE_VERSION);
  json.Field("language", language == Language::kChinese ? "zh" : "en");
  json.Key("names");
  json.BeginArray();
  json.Value(NameOf(base_paths.front()));
  json.Value(NameOf(now_paths.front()));
  json.EndArray();
  std::string compared;
  WriteDiffJson(diff, {}, language, compared);
  json.Key("diff");
  json.Raw(compared);
  json.Key("sides");
  json.BeginArray();
  for (const std::string* path : {&base_paths.front(), &now_paths.front()}) {
    Result<std::string> side = SideData(*path, language, options);
    if (!side) return side;
    json.Raw(*side);
  }
  json.EndArray();
  json.EndObject();
  return OneFilePage(data);
}

}  // namespace stepscope::diff
