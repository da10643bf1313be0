#include "serve/api.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <ctime>
#include <new>
#include <optional>

#include "base/memory.h"
#include "present/html/page_files.h"
#include "present/json_writer.h"
#include "serve/capture_api.h"
#include "serve/diff_api.h"
#include "serve/guard.h"
#include "serve/query_api.h"
#include "serve/trace_api.h"
#include "serve/trace_json.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

constexpr std::string_view kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ";
// Who may show the page in a frame: nobody, or pages that this machine serves to itself.
constexpr std::string_view kNobody = "'none'";
constexpr std::string_view kThisMachine =
    "http://localhost:* https://localhost:* http://127.0.0.1:* https://127.0.0.1:*";

bool IsStartPage(const HttpRequest& request) {
  return request.path == "/" || request.path == "/index.html";
}

HttpAnswer PlainText(int status, Sentences sentence) {
  return {.status = status, .type = "text/plain; charset=utf-8", .refusal = std::move(sentence)};
}

// What a refusal says, as JSON for programs or as text for whoever opened the address.
void Render(HttpAnswer& answer, Language language) {
  if (answer.type != "application/json") {
    answer.body = Render(answer.refusal, language);
    return;
  }
  JsonWriter json(answer.body, language);
  json.BeginObject();
  json.Field("sentence", answer.refusal);
  json.EndObject();
}

// The CPU time of this thread, whatever else the machine does.
double ThreadCpuMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Takes "12/" or "12" off the front.
std::optional<size_t> TakeNumber(std::string_view& path) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
  if (error != std::errc()) return std::nullopt;
  path.remove_prefix(static_cast<size_t>(end - path.data()));
  if (path.starts_with('/')) path.remove_prefix(1);
  return number;
}

bool TakeWord(std::string_view& path, std::string_view word) {
  if (!path.starts_with(word)) return false;
  path.remove_prefix(word.size());
  return true;
}

}  // namespace

HttpAnswer Refusal(int status, Sentences sentence) {
  return {.status = status, .refusal = std::move(sentence)};
}

HttpAnswer Api::Answer(const HttpRequest& request) const {
  const auto began = std::chrono::steady_clock::now();
  const double cpu_began = ThreadCpuMs();
  HttpAnswer answer = RouteInMemory(request);
  if (!answer.refusal.empty()) Render(answer, request.language());
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  answer.headers.insert(
      {{"Server-Timing",
        fmt::format("answer;dur={:.3f}, cpu;dur={:.3f}", took.count(), ThreadCpuMs() - cpu_began)},
       {"Content-Security-Policy",
        fmt::format("{}{}", kContentPolicy, options_.embed ? kThisMachine : kNobody)},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cross-Origin-Opener-Policy", "same-origin"},
       {"Cache-Control", "no-store"}});
  // This header cannot name who may; if somebody may, the policy above says who.
  if (!options_.embed) answer.headers.insert({"X-Frame-Options", "DENY"});
  return answer;
}

HttpAnswer Api::RouteInMemory(const HttpRequest& request) const {
  try {
    if (options_.base_path.empty()) return Route(request);
    std::string_view path = request.path;
    if (path == options_.base_path) {
      return {
          .status = 308, .type = "text/plain", .headers = {{"Location", options_.base_path + "/"}}};
    }
    if (!TakeWord(path, options_.base_path) || !path.starts_with('/')) {
      return PlainText(404, Say("serve.no-page"));
    }
    HttpRequest inner = request;
    inner.path = path;
    return Route(inner);
  } catch (const std::bad_alloc&) {
    ReturnFreeMemory();
    return Refusal(503, Say("serve.no-memory-left"));
  }
}

HttpAnswer Api::Route(const HttpRequest& request) const {
  // A frame in another page begins with one request from that page: for the start page, with the
  // token. All later requests are the page's own.
  const bool begins_frame = options_.embed && request.method == "GET" && IsStartPage(request);
  const RequestOrigin origin{
      request.host, request.origin,
      begins_frame ? std::string_view() : std::string_view(request.fetch_site)};
  if (!(request.from_proxy ? IsFromProxiedPage(origin) : IsFromOurPage(origin, options_.host))) {
    return PlainText(403, Say("serve.not-page"));
  }
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && request.method != "POST") return PlainText(405, Say("serve.get-head-post"));
  if (request.path.starts_with("/api/")) return ApiAnswer(request);
  if (!reads) return PlainText(405, Say("serve.get-head"));
  return PageAnswer(request);
}

HttpAnswer Api::PageAnswer(const HttpRequest& request) const {
  const bool start = IsStartPage(request);
  const PageFile* file = FindPageFile(start ? "/index.html" : request.path);
  if (file == nullptr) return PlainText(404, Say("serve.no-page"));
  if (start && !options_.token.empty()) {
    const auto given = request.parameters.find("token");
    if (given == request.parameters.end() || !SameToken(given->second, options_.token)) {
      return PlainText(403, Say("serve.needs-token"));
    }
  }
  if (!request.accepts_gzip) return PlainText(406, Say("serve.gzip-only"));
  return {.type = std::string(file->type), .constant = file->gzipped, .gzipped = true};
}

HttpAnswer Api::ApiAnswer(const HttpRequest& request) const {
  if (!options_.token.empty() && !SameToken(request.token, options_.token)) {
    return Refusal(403, Say("serve.wrong-token"));
  }
  std::string_view path = request.path;
  path.remove_prefix(std::string_view("/api/").size());
  if (path == "session") {
    uint64_t seen = 0;
    return {.body = session_.StateJson(seen, false, request.language())};
  }
  if (path == "events") {
    auto seen = std::make_shared<uint64_t>(0);
    return {.type = "text/event-stream",
            .stream = [this, seen, language = request.language()](std::string& next) {
              const std::string state = session_.StateJson(*seen, true, language);
              // Sending a comment now and then shows whether anybody still listens.
              next = state.empty() ? ":\n\n" : "data: " + state + "\n\n";
              return true;
            }};
  }
  if (options_.captures != nullptr && TakeWord(path, "capture")) {
    return AnswerAboutCapture(*options_.captures, request, path);
  }
  if (options_.uploads != nullptr && request.path == kUploadPath) {
    return options_.uploads->Answer(request);
  }
  if (path == "diff") return AnswerAboutDiff(session_, request);
  if (TakeWord(path, "profiles/")) return ProfileAnswer(request, path);
  return Refusal(404, Say("serve.no-question"));
}

HttpAnswer Api::ProfileAnswer(const HttpRequest& request, std::string_view rest) const {
  const std::optional<size_t> profile = TakeNumber(rest);
  if (!profile || *profile >= session_.size()) return Refusal(404, Say("serve.no-profile"));
  if (rest == "reload") {
    if (request.method != "POST") return Refusal(405, Say("serve.only-post"));
    if (!session_.Reload(*profile)) {
      return Refusal(409, Say("serve.came-by-pipe"));
    }
    return {.status = 202, .body = "{}"};
  }
  if (request.method == "POST") return Refusal(405, Say("serve.only-get"));
  const std::shared_ptr<const LoadedProfile> loaded = session_.Want(*profile);
  if (rest == "open") return {.status = 202, .body = "{}"};
  if (loaded == nullptr) return Refusal(409, Say("serve.not-read"));
  if (rest == "report") return {.body = loaded->report_json(request.language())};
  if (rest == "timeline") return {.body = TimelineJson(*loaded)};
  if (rest == "query") return AnswerQuery(*loaded, request);
  if (rest == "query/tables") return QueryTablesAnswer(*loaded, request);
  if (!TakeWord(rest, "traces/")) return Refusal(404, Say("serve.no-question"));
  const std::optional<size_t> trace = TakeNumber(rest);
  if (!trace || *trace >= loaded->traces().size()) return Refusal(404, Say("serve.no-trace"));
  return AnswerAboutTrace(*loaded->traces()[*trace], rest, request.parameters);
}

}  // namespace stepscope
