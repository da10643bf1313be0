#pragma once

#include <string>
#include <string_view>

#include "present/style.h"
#include "query/database.h"
#include "words/message.h"

namespace stepscope::query {

// Tables, views and functions with what they are; or the columns of one table.
std::string TablesText(const Style& style);
Result<std::string> ColumnsText(const Database& database, std::string_view table,
                                const Style& style);
// Tables as CREATE statements; all of them where no name is given.
Result<std::string> SchemaText(const Database& database, std::string_view table);
// The ready questions.
std::string LibraryText(const Style& style);
// Names of all: {"tables":[{"name","meaning","columns":[…]}],"views":…,"functions":…,"library":…}.
std::string SchemaJson(const Database& database, Language language);

// Why a table has no rows.
Message WhyEmpty(std::string_view table);

}  // namespace stepscope::query
