#pragma once

#include "serve/http_server.h"
#include "serve/session.h"

namespace stepscope {

// GET /api/diff?base=0&new=1&by=op: two profiles of the session compared, as stepscope.diff/1.
HttpAnswer AnswerAboutDiff(Session& session, const HttpRequest& request);

}  // namespace stepscope
