// Any bytes as a SQLite database that claims to be a rocpd or RPD database.

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "analyze/report.h"
#include "base/testing/temp_dir.h"
#include "io/sqlite.h"
#include "read/rocpd/rocpd_reader.h"
#include "read/rocpd/rpd_reader.h"

#include <fstream>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static TaskPool pool(1);
  static const TempDir folder;
  const std::string path = folder / "fuzz.sqlite";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const Result<SqliteFile> file = SqliteFile::Open(path);
  if (!file) return 0;
  Diagnostics diagnostics;
  const Result<Trace> trace = IsRocpd(*file) ? ReadRocpd(*file, {}, pool, diagnostics)
                                             : ReadRpd(*file, {}, pool, diagnostics);
  if (!trace) return 0;
  if (trace->events.diagnosed > trace->events.in_file) std::abort();
  Analyze(LinkTrace(*trace, {}, pool), diagnostics, {}, pool);
  return 0;
}
