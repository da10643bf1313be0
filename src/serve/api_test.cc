#include "serve/api.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/json_document.h"
#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

// Two kernels launched by one op, everything named after what a page could be tricked with.
constexpr const char* kHostile = R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"<script>alert(1)</script>","pid":1,"tid":1,"ts":100,"dur":50,"args":{"x":"</script><img src=x onerror=alert(2)>","big":18446744073709551615,"bad":NaN}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":110,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"<img src=x onerror=alert(3)>","pid":0,"tid":7,"ts":130,"dur":20,"args":{"correlation":7,"device":0,"stream":7}},
{"ph":"X","cat":"kernel","name":"late","pid":0,"tid":7,"ts":160,"dur":10,"args":{"device":0,"stream":7}}
]})";

class ApiTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "hostile.json") << kHostile;
    session_ = std::make_unique<Session>(
        Session::Options{.paths = {folder_ / "hostile.json"}, .threads = 1});
    api_ = std::make_unique<Api>(*session_, ApiOptions{.token = "secret", .host = "127.0.0.1"});
    for (int i = 0; i < 1000 && session_->Want(0) == nullptr; ++i) usleep(5000);
    ASSERT_NE(session_->Want(0), nullptr);
  }
  void TearDown() override {
    api_.reset();
    session_.reset();
  }

  HttpAnswer Get(std::string path, std::map<std::string, std::string> parameters = {},
                 std::string token = "secret") const {
    return api_->Answer({.method = "GET",
                         .path = std::move(path),
                         .parameters = std::move(parameters),
                         .host = "127.0.0.1:1",
                         .token = std::move(token),
                         .accepts_gzip = true});
  }
  JsonValue Json(std::string path, std::map<std::string, std::string> parameters = {}) const {
    const HttpAnswer answer = Get(std::move(path), std::move(parameters));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return ParseJson(answer.body).value_or(JsonValue());
  }
  std::string RowNamed(std::string_view name) const {
    const JsonValue found =
        Json("/api/profiles/0/traces/0/search", {{"text", std::string(name)}, {"first", "0"}});
    return found["hits"][0]["row"].text();
  }

  TempDir folder_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Api> api_;
};

TEST_F(ApiTest, NothingWithoutTheToken) {
  for (const char* path : {"/api/session", "/api/events", "/api/profiles/0/report",
                           "/api/profiles/0/traces/0/slice"}) {
    EXPECT_EQ(Get(path, {}, "").status, 403) << path;
    EXPECT_EQ(Get(path, {}, "secrex").status, 403) << path;
    EXPECT_EQ(Get(path, {{"token", "secret"}}, "").status, 403) << "the API takes the header only";
  }
  EXPECT_NE(Get("/").status, 200);
  EXPECT_NE(Get("/", {{"token", "wrong"}}).status, 200);
}

TEST_F(ApiTest, StrangersAreRefusedBeforeTheTokenIsLookedAt) {
  HttpRequest request{.method = "GET", .path = "/api/session", .token = "secret"};
  request.host = "evil.example";
  EXPECT_EQ(api_->Answer(request).status, 403);
  request.host = "localhost:5";
  EXPECT_EQ(api_->Answer(request).status, 200);
  request.origin = "http://evil.example";
  EXPECT_EQ(api_->Answer(request).status, 403);
  request.origin = "";
  request.method = "DELETE";
  EXPECT_EQ(api_->Answer(request).status, 405);
}

TEST_F(ApiTest, FramesOnlyWhereAskedForAndOnlyThePageItself) {
  HttpRequest request{.method = "GET", .path = "/", .parameters = {{"token", "secret"}}};
  request.host = "127.0.0.1:1";
  request.fetch_site = "cross-site";
  request.accepts_gzip = true;
  EXPECT_EQ(api_->Answer(request).status, 403);
  EXPECT_EQ(api_->Answer(request).headers.at("X-Frame-Options"), "DENY");

  const Api framed(*session_, {.token = "secret", .host = "127.0.0.1", .embed = true});
  HttpAnswer answer = framed.Answer(request);
  EXPECT_NE(answer.status, 403);
  EXPECT_FALSE(answer.headers.contains("X-Frame-Options"));
  EXPECT_TRUE(answer.headers.at("Content-Security-Policy")
                  .ends_with("frame-ancestors http://localhost:* https://localhost:* "
                             "http://127.0.0.1:* https://127.0.0.1:*"));
  request.parameters = {};
  EXPECT_EQ(framed.Answer(request).status, 403) << "the token is asked for all the same";
  request.path = "/api/session";
  request.token = "secret";
  EXPECT_EQ(framed.Answer(request).status, 403) << "other sites ask for nothing else";
}

TEST_F(ApiTest, PathsOfRequestsAreNeverPathsOfFiles) {
  for (const char* path :
       {"/../hostile.json", "/..%2fhostile.json", "/hostile.json", "//etc/passwd", "/etc/passwd",
        "/api/../../etc/passwd", "/api/profiles/../session", "/api/profiles/0/traces/0/../../x",
        "/api/profiles/99/report", "/api/profiles/-1/report", "/api/profiles/0/traces/7/slice",
        "/api/profiles/0/traces/0/nonsense", "/app.js/..", "/api/profiles/0x0/report"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
  }
}

TEST_F(ApiTest, EveryAnswerCarriesThePolicy) {
  for (const HttpAnswer& answer :
       {Get("/api/session"), Get("/nothing"), Get("/api/session", {}, "")}) {
    EXPECT_TRUE(answer.headers.at("Content-Security-Policy").contains("default-src 'none'"));
    EXPECT_EQ(answer.headers.at("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(answer.headers.at("Cache-Control"), "no-store");
  }
}

TEST_F(ApiTest, BadParametersAreRefused) {
  const std::string base = "/api/profiles/0/traces/0/";
  using Map = std::map<std::string, std::string>;
  const std::vector<std::pair<std::string, Map>> bad{
      {"slice", {}},
      {"slice", {{"row", "99999"}}},
      {"slice", {{"row", "-1"}}},
      {"slice", {{"row", "1x"}}},
      {"tiles", {{"lines", "0"}, {"shift", "63"}, {"first", "0"}, {"last", "0"}}},
      {"tiles", {{"lines", "0,0"}, {"shift", "0"}, {"first", "0"}, {"last", "0"}}},
      {"tiles", {{"lines", "77"}, {"shift", "0"}, {"first", "0"}, {"last", "0"}}},
      {"tiles", {{"lines", "0"}, {"shift", "0"}, {"first", "0"}, {"last", "9999"}}},
      {"tiles",
       {{"lines", "0"},
        {"shift", "0"},
        {"first", "9223372036854775807"},
        {"last", "9223372036854775807"}}},
      {"selection", {{"from", "5"}, {"to", "1"}}},
      {"search", {{"text", "("}, {"regex", "1"}, {"first", "0"}}},
      {"search", {{"text", ""}, {"first", "0"}}},
      {"flame", {{"by", "x"}, {"metric", "host"}}},
      {"calls", {{"name", "0"}, {"kind", "nonsense"}}},
      {"idle", {{"line", "0"}, {"gap", "0"}}},
  };
  for (const auto& [question, parameters] : bad) {
    EXPECT_EQ(Get(base + question, parameters).status, 400) << question;
  }
}

TEST_F(ApiTest, TellsAnEventWithItsLinksAndArguments) {
  const std::string base = "/api/profiles/0/traces/0/";
  const JsonValue kernel = Json(base + "slice", {{"row", RowNamed("<img src")}});
  EXPECT_EQ(kernel["name"].text(), "<img src=x onerror=alert(3)>");
  EXPECT_EQ(kernel["duration_ns"].AsInt(), 20'000);
  EXPECT_EQ(kernel["start_ns"].AsInt(), 30'000);
  EXPECT_EQ(kernel["links"][0]["relation"].text(), "launched_by");
  EXPECT_EQ(kernel["links"][0]["slice"]["name"].text(), "cudaLaunchKernel");
  const JsonValue op = Json(base + "slice", {{"row", RowNamed("<script>")}});
  EXPECT_EQ(op["self_ns"].AsInt(), 45'000);
  const JsonValue event = Json(base + "args", {{"row", op["row"].text()}});
  EXPECT_EQ(event["args"]["x"].text(), "</script><img src=x onerror=alert(2)>");
  EXPECT_EQ(event["args"]["big"].text(), "18446744073709551615");
  EXPECT_EQ(event["args"]["bad"].text(), "NaN");
}

TEST_F(ApiTest, AggregatesAStretch) {
  const JsonValue all =
      Json("/api/profiles/0/traces/0/selection", {{"from", "0"}, {"to", "65000"}});
  EXPECT_EQ(all["spans"].AsInt(), 4);
  EXPECT_EQ(all["busy"][0]["device"].text(), "gpu:0");
  EXPECT_EQ(all["busy"][0]["ns"].AsInt(), 25'000) << "20 µs, and 5 of the late one";
  int64_t late = 0;
  for (const JsonValue& row : all["rows"].items()) {
    if (row["name"].text() == "late") late = row["total_ns"].AsInt();
  }
  EXPECT_EQ(late, 5'000);
}

TEST_F(ApiTest, FindsByTextAndByExpression) {
  const std::string base = "/api/profiles/0/traces/0/search";
  EXPECT_EQ(Json(base, {{"text", "LATE"}, {"first", "0"}})["count"].AsInt(), 1);
  EXPECT_EQ(Json(base, {{"text", "LATE"}, {"regex", "1"}, {"first", "0"}})["count"].AsInt(), 0);
  EXPECT_EQ(Json(base, {{"text", "alert.[13]"}, {"regex", "1"}, {"first", "0"}})["count"].AsInt(),
            2);
  EXPECT_EQ(Json(base, {{"text", "alert.[13]"}, {"first", "0"}})["count"].AsInt(), 0);
}

TEST_F(ApiTest, NoticesThatTheFileChangedAndReadsItAgain) {
  uint64_t seen = 0;
  const auto state = [&] {
    return ParseJson(session_->StateJson(seen, false)).value()["profiles"][0];
  };
  EXPECT_EQ(state()["revision"].AsInt(), 1);
  std::ofstream(folder_ / "hostile.json")
      << "[" << R"({"ph":"X","name":"new","pid":1,"tid":1,"ts":1,"dur":1})" << "]";
  for (int i = 0; i < 1000 && !state()["changed"].AsBool(); ++i) usleep(10'000);
  EXPECT_TRUE(state()["changed"].AsBool());
  EXPECT_EQ(api_->Answer({.method = "POST",
                          .path = "/api/profiles/0/reload",
                          .host = "localhost",
                          .token = "secret"})
                .status,
            202);
  for (int i = 0; i < 1000 && state()["revision"].AsInt() < 2; ++i) usleep(5000);
  EXPECT_EQ(state()["revision"].AsInt(), 2);
  EXPECT_EQ(session_->Want(0)->traces()[0]->trace().slices.size(), 1U);
}

// In the language that ?lang= or the browser asks for; English otherwise.
TEST_F(ApiTest, SpeaksTheLanguageOfTheRequest) {
  const auto answer = [&](const std::string& path, const std::string& lang,
                          const std::string& languages) {
    HttpRequest request{.method = "GET", .path = path, .host = "localhost", .token = "secret"};
    if (!lang.empty()) request.parameters["lang"] = lang;
    request.languages = languages;
    return ParseJson(api_->Answer(request).body).value();
  };
  const auto refusal = [&](const std::string& lang, const std::string& languages) {
    return std::string(answer("/api/profiles/99/report", lang, languages)["sentence"].text());
  };
  EXPECT_EQ(refusal("", ""), "There is no such profile.");
  EXPECT_EQ(refusal("zh", ""), "没有这份性能数据。");
  EXPECT_EQ(refusal("", "zh-CN,zh;q=0.9,en;q=0.8"), "没有这份性能数据。");
  EXPECT_EQ(refusal("", "fr, en;q=0.8"), "There is no such profile.");
  EXPECT_EQ(refusal("en", "zh-CN"), "There is no such profile.");
  EXPECT_EQ(answer("/api/profiles/0/report", "", "")["verdict"]["id"].text(),
            answer("/api/profiles/0/report", "zh", "")["verdict"]["id"].text());
  EXPECT_NE(answer("/api/profiles/0/report", "", "")["verdict"]["sentence"].text(),
            answer("/api/profiles/0/report", "zh", "")["verdict"]["sentence"].text());
}

// The page shows the findings that `report` shows in the same place: with its limits, and without
// the rules that stepscope.toml ignores.
TEST_F(ApiTest, FindingsFollowTheSettings) {
  const JsonValue plain = Json("/api/profiles/0/report")["rules"];
  EXPECT_TRUE(plain["ignored"].items().empty());
  std::ofstream(folder_ / "stepscope.toml")
      << "[ignore]\npython-gc-pause = \"collected between epochs\"\n";
  const Result<Settings> settings = LoadSettings(folder_ / "stepscope.toml");
  ASSERT_TRUE(settings) << InEnglish(settings.error().sentence);
  Session session({.paths = {folder_ / "hostile.json"}, .threads = 1, .settings = *settings});
  for (int i = 0; i < 1000 && session.Want(0) == nullptr; ++i) usleep(5000);
  ASSERT_NE(session.Want(0), nullptr);
  const JsonValue rules = ParseJson(session.Want(0)->report_json()).value()["rules"];
  ASSERT_EQ(rules["ignored"].items().size(), 1U);
  EXPECT_EQ(rules["ignored"][0]["rule"].text(), "python-gc-pause");
  EXPECT_EQ(rules["ignored"][0]["reason"].text(), "collected between epochs");
  EXPECT_EQ(rules["checked"].AsInt(), plain["checked"].AsInt() - 1);
}

TEST(Session, WatchesADirectory) {
  const TempDir folder;
  std::ofstream(folder / "a.json") << kHostile;
  Session session({.paths = {folder.path()}, .threads = 1});
  EXPECT_EQ(session.size(), 1U);
  std::ofstream(folder / "b.json") << kHostile;
  for (int i = 0; i < 1000 && session.size() < 3; ++i) usleep(10'000);
  EXPECT_EQ(session.size(), 3U) << "the new one, and both together";
  session.Stop();
}

// With no memory to spare only the profile that was asked for last is kept; the other is read again
// without a page noticing.
TEST(Session, GivesUpWhatNobodyLooksAtAndReadsItAgain) {
  const TempDir folder;
  for (const char* name : {"a.json", "b.json"}) std::ofstream(folder / name) << kHostile;
  Session session(
      {.paths = {folder / "a.json", folder / "b.json"}, .threads = 1, .memory_bytes = 1});
  const auto states = [&] {
    uint64_t seen = 0;
    return ParseJson(session.StateJson(seen, false)).value_or(JsonValue())["profiles"];
  };
  const auto ready = [&](size_t profile) { return states()[profile]["state"].text() == "ready"; };
  for (int i = 0; i < 1000 && !(ready(0) && ready(1)); ++i) usleep(5000);
  ASSERT_TRUE(ready(0) && ready(1));
  EXPECT_TRUE(states()[0]["memory"].is_null()) << "a was read first";
  EXPECT_FALSE(states()[1]["memory"].is_null());

  const auto first = session.Want(0);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->traces().size(), 1U);
  EXPECT_TRUE(ready(0) && ready(1));
  EXPECT_EQ(states()[0]["revision"].text(), "1") << "what pages show is still true";
  EXPECT_FALSE(states()[0]["memory"].is_null());
  EXPECT_TRUE(states()[1]["memory"].is_null());
  ASSERT_NE(session.Want(1), nullptr);
}

// What waits for a profile does not hold up the end.
TEST(Session, StopsWhileProfilesAreRead) {
  const TempDir folder;
  std::ofstream(folder / "a.json") << kHostile;
  const auto began = std::chrono::steady_clock::now();
  {
    Session session({.paths = {folder / "a.json"}, .threads = 1});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace stepscope
