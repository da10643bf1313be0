#include "io/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "io/input_files.h"

#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

constexpr size_t kMostTables = 20'000;

// What a reader asks for, and nothing else.
int Authorize(void*, int action, const char* first, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return SQLITE_OK;
    case SQLITE_PRAGMA:
      return first != nullptr && std::string_view(first) == "table_info" ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

int ShallStop(void* stop) { return static_cast<std::stop_token*>(stop)->stop_requested() ? 1 : 0; }

void SetLimits(sqlite3* database) {
  constexpr std::array<std::pair<int, int>, 9> kLimits = {{
      {SQLITE_LIMIT_LENGTH, 1 << 28},
      {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
      {SQLITE_LIMIT_COLUMN, 1000},
      {SQLITE_LIMIT_EXPR_DEPTH, 50},
      {SQLITE_LIMIT_COMPOUND_SELECT, 2},
      {SQLITE_LIMIT_ATTACHED, 0},
      {SQLITE_LIMIT_VARIABLE_NUMBER, 4},
      {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
      {SQLITE_LIMIT_WORKER_THREADS, 0},
  }};
  for (const auto& [limit, value] : kLimits) sqlite3_limit(database, limit, value);
}

void Distrust(sqlite3* database) {
  constexpr std::array<std::pair<int, int>, 5> kSettings = {{
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
  }};
  for (const auto& [setting, value] : kSettings) {
    sqlite3_db_config(database, setting, value, nullptr);
  }
}

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// "file:" URI: every byte that could mean something else is escaped.
std::string UriOf(const std::string& path) {
  std::string uri = "file:";
  std::error_code ignored;
  for (const char c : std::filesystem::absolute(path, ignored).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1&mode=ro";
}

// A database in memory cannot have a write-ahead log beside it; the header must not say so.
FileBytes WithoutWriteAheadLog(FileBytes bytes) {
  constexpr size_t kWriteVersion = 18, kReadVersion = 19;
  constexpr char kRollback = 1, kLog = 2;
  const std::span<const char> read = bytes.bytes();
  if (read.size() <= kReadVersion || (read[kWriteVersion] != kLog && read[kReadVersion] != kLog)) {
    return bytes;
  }
  auto copy = std::make_shared<std::string>(read.data(), read.size());
  (*copy)[kWriteVersion] = (*copy)[kReadVersion] = kRollback;
  return {std::span<const char>(copy->data(), copy->size()), copy, bytes.damage()};
}

Error Why(sqlite3* database, const std::string& path) {
  const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
  if ((code & 0xff) == SQLITE_INTERRUPT) {
    return {ErrorCode::kInterrupted, Say("io.interrupted"), path, std::nullopt, {}};
  }
  const bool damaged = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
  return {damaged ? ErrorCode::kDamaged : ErrorCode::kCannotRead,
          damaged ? Say("io.sqlite-damaged") : Say("io.sqlite-unread", sqlite3_errstr(code)), path,
          std::nullopt, Say("io.export-again")};
}

}  // namespace

SqliteRows::SqliteRows(sqlite3* database, sqlite3_stmt* statement, std::string path)
    : database_(database), statement_(statement), path_(std::move(path)) {}

SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      path_(std::move(other.path_)),
      fault_(std::move(other.fault_)) {}

SqliteRows::~SqliteRows() { sqlite3_finalize(statement_); }

bool SqliteRows::Next() {
  if (fault_) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fault_ = Why(database_, path_);
  return false;
}

SqliteRows::Type SqliteRows::TypeOf(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return Type::kInteger;
    case SQLITE_FLOAT:
      return Type::kReal;
    case SQLITE_TEXT:
      return Type::kText;
    case SQLITE_BLOB:
      return Type::kBytes;
    default:
      return Type::kNull;
  }
}

bool SqliteRows::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

int64_t SqliteRows::Integer(int column, int64_t otherwise) const {
  // SQLite gives 0 for null by itself: a question less for most values of a profile.
  if (otherwise != 0 && IsNull(column)) return otherwise;
  return sqlite3_column_int64(statement_, column);
}

double SqliteRows::Real(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view SqliteRows::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

bool SqliteFile::Table::Has(std::string_view column) const {
  return std::ranges::find(columns, column) != columns.end();
}

void SqliteFile::Closing::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<SqliteFile> SqliteFile::Open(const std::string& path, std::stop_token stop) {
  Result<OpenedSource> source = OpenSource(path, stop);
  if (!source) return std::unexpected(std::move(source.error()));
  return Open(std::move(*source), std::move(stop));
}

Result<SqliteFile> SqliteFile::Open(OpenedSource source, std::stop_token stop) {
  NoteInput(source.path);
  SqliteFile file;
  file.path_ = source.path;
  file.stop_ = std::make_unique<std::stop_token>(std::move(stop));
  std::error_code error;
  const bool in_place = source.compression == Compression::kNone && file.path_ != "-" &&
                        std::filesystem::is_regular_file(file.path_, error);
  if (!in_place) {
    Result<FileBytes> bytes = ReadWhole(std::move(source));
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    file.bytes_ = std::make_shared<const FileBytes>(WithoutWriteAheadLog(std::move(*bytes)));
  }
  if (std::optional<Error> fault = file.Connect()) return std::unexpected(std::move(*fault));
  if (std::optional<Error> fault = file.ListTables()) return std::unexpected(std::move(*fault));
  return file;
}

Result<SqliteFile> SqliteFile::Again() const {
  SqliteFile file;
  file.path_ = path_;
  file.bytes_ = bytes_;
  file.stop_ = std::make_unique<std::stop_token>(*stop_);
  file.tables_ = tables_;
  if (std::optional<Error> fault = file.Connect()) return std::unexpected(std::move(*fault));
  return file;
}

uint64_t SqliteFile::BytesMissing() const {
  // https://www.sqlite.org/fileformat.html: the size of a page at byte 16, their number at 28,
  // which holds where the counters at 24 and 92 agree; all big-endian.
  std::array<char, 100> head{};
  uint64_t there = 0;
  if (bytes_ != nullptr) {
    there = bytes_->bytes().size();
    std::copy_n(bytes_->bytes().begin(), std::min<size_t>(there, head.size()), head.begin());
  } else {
    std::error_code error;
    there = std::filesystem::file_size(path_, error);
    if (error) return 0;
    std::ifstream(path_, std::ios::binary).read(head.data(), head.size());
  }
  const auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<uint8_t>(head[at + i]);
    return value;
  };
  const uint64_t page = number(16, 2) == 1 ? 65536 : number(16, 2);
  const uint64_t promised = number(24, 4) == number(92, 4) ? page * number(28, 4) : 0;
  return promised > there ? promised - there : 0;
}

std::optional<Error> SqliteFile::Connect() {
  sqlite3* opened = nullptr;
  const std::string name = bytes_ == nullptr ? UriOf(path_) : std::string(":memory:");
  const int mode = bytes_ == nullptr ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                     : SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY;
  const int code = sqlite3_open_v2(name.c_str(), &opened, mode | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) return Why(opened, path_);
  sqlite3_extended_result_codes(opened, 1);
  SetLimits(opened);
  Distrust(opened);
  if (bytes_ != nullptr) {
    // The library reads the bytes in place and, because of READONLY, never writes to them.
    const auto size = static_cast<sqlite3_int64>(bytes_->bytes().size());
    auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes_->bytes().data()));
    if (sqlite3_deserialize(opened, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) !=
        SQLITE_OK) {
      return Why(opened, path_);
    }
  } else {
    // No map: another program that cuts the file would end this one.
    sqlite3_exec(opened, "PRAGMA mmap_size=0", nullptr, nullptr, nullptr);
  }
  // Catches pages whose cells point outside of them, for a few percent of time.
  sqlite3_exec(opened, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(opened, Authorize, nullptr);
  constexpr int kStepsBetweenLooks = 100'000;
  sqlite3_progress_handler(opened, kStepsBetweenLooks, ShallStop, stop_.get());
  return std::nullopt;
}

std::optional<Error> SqliteFile::ListTables() {
  auto tables = std::make_shared<std::vector<Table>>();
  // Views and virtual tables have no root page.
  Result<SqliteRows> names =
      Prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name");
  if (!names) return std::move(names.error());
  while (names->Next()) {
    if (tables->size() == kMostTables) {
      return Error{ErrorCode::kDamaged, Say("io.sqlite-tables"), path_, std::nullopt, {}};
    }
    tables->push_back({std::string(names->Text(0)), {}});
  }
  if (names->fault()) return names->fault();
  for (Table& table : *tables) {
    Result<SqliteRows> columns = Prepare(fmt::format("PRAGMA table_info({})", Quoted(table.name)));
    while (columns && columns->Next()) table.columns.emplace_back(columns->Text(1));
  }
  tables_ = std::move(tables);
  return std::nullopt;
}

const SqliteFile::Table* SqliteFile::Find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(*tables_, name, {}, &Table::name);
  return at != tables_->end() && at->name == name ? &*at : nullptr;
}

Result<SqliteRows> SqliteFile::Prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(Why(database_.get(), path_));
  return SqliteRows(database_.get(), statement, path_);
}

Result<SqliteRows> SqliteFile::Read(const Table& table, std::span<const std::string_view> columns,
                                    std::optional<RowIds> range) const {
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    if (sql.size() > 7) sql += ", ";
    sql += table.Has(column) ? Quoted(column) : std::string("NULL");
  }
  sql += fmt::format(" FROM {}", Quoted(table.name));
  if (range) sql += fmt::format(" WHERE rowid BETWEEN {} AND {}", range->first, range->last);
  return Prepare(sql);
}

Result<SqliteRows> SqliteFile::RowAt(const Table& table, uint64_t before) const {
  std::string sql = "SELECT ";
  for (const std::string& column : table.columns) {
    if (sql.size() > 7) sql += ", ";
    sql += Quoted(column);
  }
  return Prepare(sql + fmt::format(" FROM {} LIMIT 1 OFFSET {}", Quoted(table.name), before));
}

SqliteFile::RowIds SqliteFile::RowIdsOf(const Table& table) const {
  RowIds ids;
  // A column that is called rowid would stand for something else.
  if (table.Has("rowid")) return ids;
  for (const auto& [which, into] : {std::pair("min", &ids.first), std::pair("max", &ids.last)}) {
    Result<SqliteRows> row =
        Prepare(fmt::format("SELECT {}(rowid) FROM {}", which, Quoted(table.name)));
    if (!row || !row->Next() || row->IsNull(0)) return {};
    *into = row->Integer(0);
  }
  return ids;
}

bool SqliteFile::IsEmpty(const Table& table) const {
  Result<SqliteRows> row = Prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", Quoted(table.name)));
  return !row || !row->Next();
}

}  // namespace stepscope
