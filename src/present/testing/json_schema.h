#pragma once

#include <string>
#include <vector>

#include "base/json_document.h"

namespace stepscope {

// Where a value does not follow a JSON Schema, one "path: what is wrong" each; empty when it does.
// Knows the words that docs/report.schema.json uses: type, const, enum, minimum, properties,
// required, additionalProperties, items, anyOf, $ref to #/$defs. Any other word of a schema is a
// complaint too, so that none is silently not checked.
std::vector<std::string> SchemaComplaints(const JsonValue& schema, const JsonValue& value);

}  // namespace stepscope
