#pragma once

#include <string>

#include "serve/capture_job.h"
#include "serve/http_server.h"
#include "serve/session.h"
#include "serve/uploads.h"

namespace stepscope {

struct ApiOptions {
  std::string token;               // empty: none is asked for
  std::string host;                // listened on
  std::string base_path = {};      // "/stepscope": where a proxy shows the page
  bool embed = false;              // pages of this machine (a notebook) may show ours in a frame
  CaptureJob* captures = nullptr;  // null: the page cannot capture
  Uploads* uploads = nullptr;      // null: the page cannot send files
};

// Answers requests: the page's files and /api/… (docs/serve.md). Paths are compared with a fixed
// list and numbers; nothing of a request is ever a file name. Safe on many threads.
class Api {
 public:
  Api(Session& session, ApiOptions options) : session_(session), options_(std::move(options)) {}

  HttpAnswer Answer(const HttpRequest& request) const;

 private:
  HttpAnswer RouteInMemory(const HttpRequest& request) const;
  HttpAnswer Route(const HttpRequest& request) const;
  HttpAnswer PageAnswer(const HttpRequest& request) const;
  HttpAnswer ApiAnswer(const HttpRequest& request) const;
  HttpAnswer ProfileAnswer(const HttpRequest& request, std::string_view rest) const;

  Session& session_;
  const ApiOptions options_;
};

}  // namespace stepscope
