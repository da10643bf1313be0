#include "query/sqlite_export.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <vector>

#include "query/table_module.h"
#include "words/query.h"

namespace stepscope::query {
namespace {

constexpr SayFrom<kExportTexts> Say;

using exported::ColumnData;
using exported::ColumnSpec;
using Type = ColumnSpec::Type;

constexpr uint32_t kRowsAtOnce = 8192;

std::string_view SqlType(Type type) {
  return type == Type::kReal ? "REAL" : type == Type::kText ? "TEXT" : "INTEGER";
}

int Bind(sqlite3_stmt* statement, int place, Type type, const ColumnData& data, size_t row) {
  if (data.IsNull(row)) return sqlite3_bind_null(statement, place);
  switch (type) {
    case Type::kInt:
      return sqlite3_bind_int64(statement, place, data.integers[row]);
    case Type::kReal:
      return sqlite3_bind_double(statement, place, data.reals[row]);
    case Type::kBool:
      return sqlite3_bind_int(statement, place, data.truths[row]);
    case Type::kText: {
      const std::string_view text = data.dictionary[data.codes[row]];
      return sqlite3_bind_text64(statement, place, text.data() == nullptr ? "" : text.data(),
                                 text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
  }
  std::unreachable();
}

}  // namespace

SqliteExport::SqliteExport(std::string path) : path_(std::move(path)) {}

SqliteExport::~SqliteExport() { sqlite3_close_v2(database_); }

std::unexpected<Error> SqliteExport::Why() const {
  return Fail(ErrorCode::kCannotWrite, Say("export.cannot-write", sqlite3_errmsg(database_)), path_,
              Say("export.make-room"));
}

Result<void> SqliteExport::Execute(const std::string& sql) {
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return Why();
  return {};
}

Result<void> SqliteExport::Open() {
  if (database_ != nullptr) return {};
  Result<AtomicFile> file = AtomicFile::CreateNamed(path_, Overwrite::kAllowed);
  if (!file) return std::unexpected(std::move(file.error()));
  file_.emplace(std::move(*file));
  if (sqlite3_open_v2(file_->temporary().c_str(), &database_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      nullptr) != SQLITE_OK) {
    return Why();
  }
  // The file is thrown away where anything goes wrong: no journal is needed.
  return Execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
}

Result<void> SqliteExport::Add(const std::string& name, const exported::TableSource& table) {
  if (Result<void> opened = Open(); !opened) return opened;
  std::string columns, holes;
  for (const ColumnSpec& spec : table.columns()) {
    columns += fmt::format("{}{} {}{}", columns.empty() ? "" : ", ", QuotedName(spec.name),
                           SqlType(spec.type), spec.nullable ? "" : " NOT NULL");
    holes += holes.empty() ? "?" : ", ?";
  }
  const std::string quoted = QuotedName(name);
  if (Result<void> made = Execute(fmt::format("CREATE TABLE {} ({})", quoted, columns)); !made) {
    return made;
  }
  sqlite3_stmt* statement = nullptr;
  const std::string insert = fmt::format("INSERT INTO {} VALUES ({})", quoted, holes);
  if (sqlite3_prepare_v2(database_, insert.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    return Why();
  }
  Result<void> written;
  std::vector<ColumnData> data(table.columns().size());
  for (uint64_t first = 0; first < table.rows() && written; first += kRowsAtOnce) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(kRowsAtOnce, table.rows() - first));
    for (size_t i = 0; i < data.size(); ++i) table.Fill(i, first, count, data[i]);
    for (uint32_t row = 0; row < count && written; ++row) {
      for (size_t i = 0; i < data.size(); ++i) {
        Bind(statement, static_cast<int>(i) + 1, table.columns()[i].type, data[i], row);
      }
      if (sqlite3_step(statement) != SQLITE_DONE) written = Why();
      sqlite3_reset(statement);
    }
  }
  sqlite3_finalize(statement);
  return written;
}

Result<void> SqliteExport::Close() {
  if (Result<void> opened = Open(); !opened) return opened;
  if (Result<void> done = Execute("COMMIT"); !done) return done;
  if (sqlite3_close(database_) != SQLITE_OK) return Why();
  database_ = nullptr;
  return file_->Commit();
}

}  // namespace stepscope::query
