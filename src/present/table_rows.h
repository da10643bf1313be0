#pragma once

#include <string_view>

#include "present/csv.h"
#include "present/json_writer.h"
#include "tables/column.h"

// Rows of declared tables as JSON and CSV.
namespace stepscope {

// An array of objects, one a line.
void WriteRows(tables::Columns columns, const tables::TableRows& rows, JsonWriter& json);

// The header of a file in which several profiles may stand, and the rows of one of them.
void WriteHeader(tables::Columns columns, CsvWriter& csv);
void WriteRows(tables::Columns columns, const tables::TableRows& rows, std::string_view profile,
               CsvWriter& csv);

// "[[64,1024],[]]": nested lists of whole numbers, so that the text can stand in JSON as it is.
bool IsShapeList(std::string_view text);

}  // namespace stepscope
