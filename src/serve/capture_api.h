#pragma once

#include <string_view>

#include "serve/capture_job.h"
#include "serve/http_server.h"

namespace stepscope {

// /api/capture and what is below it; `rest` is what follows "capture". The targets of this machine,
// the state of the capture, its start and its end (docs/serve.md).
HttpAnswer AnswerAboutCapture(CaptureJob& job, const HttpRequest& request, std::string_view rest);

}  // namespace stepscope
