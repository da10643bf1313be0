#pragma once

#include "serve/http_server.h"
#include "serve/loaded_profile.h"

namespace stepscope {

// The rows of `sql` as stepscope.query/1, at most `limit` of them; faults as 400 with `sentence`,
// `offset` and `next_step`. Statements only read, and end after some seconds.
HttpAnswer AnswerQuery(const LoadedProfile& loaded, const HttpRequest& request);

// Tables, views, functions and ready questions, for the editor, and how many slices each trace has:
// row numbers of SQL count through all traces.
HttpAnswer QueryTablesAnswer(const LoadedProfile& loaded, const HttpRequest& request);

}  // namespace stepscope
