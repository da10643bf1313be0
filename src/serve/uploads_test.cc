#include "serve/uploads.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace stepscope {
namespace {

HttpRequest Sending(const std::string& name, std::vector<std::string> parts, uint64_t bytes) {
  HttpRequest request{.method = "POST", .path = std::string(kUploadPath)};
  request.parameters["name"] = name;
  request.body_bytes = bytes;
  auto left = std::make_shared<std::vector<std::string>>(parts.rbegin(), parts.rend());
  request.read_body = [left] {
    if (left->empty()) return std::string();
    std::string part = left->back();
    left->pop_back();
    return part;
  };
  return request;
}

TEST(SafeFileName, HasNothingThatMeansSomethingToAFileSystem) {
  EXPECT_EQ(SafeFileName("trace.pt.json.gz"), "trace.pt.json.gz");
  EXPECT_EQ(SafeFileName("../../etc/passwd"), "passwd");
  EXPECT_EQ(SafeFileName("C:\\runs\\a b.json"), "a_b.json");
  EXPECT_EQ(SafeFileName(".."), "profile");
  EXPECT_EQ(SafeFileName(""), "profile");
  EXPECT_EQ(SafeFileName(std::string(500, 'x') + ".json").size(), 120U);
  EXPECT_TRUE(SafeFileName(std::string(500, 'x') + ".json").ends_with(".json"));
}

TEST(Uploads, StoreAFileUntilTheServerEnds) {
  std::vector<std::string> added;
  Uploads uploads([&](const std::vector<std::string>& paths) {
    added = paths;
    return size_t{7};
  });
  const HttpAnswer answer = uploads.Answer(Sending("a.json", {"[1,", "2]"}, 5));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"id": 7})");
  ASSERT_EQ(added.size(), 1U);
  EXPECT_TRUE(added[0].ends_with("/1/a.json"));
  std::ifstream file(added[0]);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "[1,2]");
  using std::filesystem::perms;
  const auto folder = std::filesystem::path(added[0]).parent_path().parent_path();
  EXPECT_EQ(std::filesystem::status(folder).permissions() & (perms::group_all | perms::others_all),
            perms::none);
  uploads.Clear();
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(uploads.Answer(Sending("b.json", {"[]"}, 2)).status, 503);
}

TEST(Uploads, AFileThatIsCutOrEmptyIsNoProfile) {
  size_t added = 0;
  Uploads uploads([&](const std::vector<std::string>&) { return ++added; });
  EXPECT_EQ(uploads.Answer(Sending("a.json", {"[1,"}, 5)).status, 400);
  EXPECT_EQ(uploads.Answer(Sending("a.json", {}, 0)).status, 400);
  EXPECT_EQ(added, 0U);
  EXPECT_EQ(uploads.Answer({.method = "GET"}).body, R"({"most_bytes": 4294967296})");
}

TEST(ParseHead, TakesABodyOnOnePathOnly) {
  const BodyRule rule{std::string(kUploadPath), 100};
  const auto status = [&](const std::string& line, const std::string& headers) {
    return ParseHead(line + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n\r\n", rule).status;
  };
  EXPECT_EQ(status("POST /api/upload?name=a", "Content-Length: 100"), 200);
  EXPECT_EQ(status("POST /api/upload?name=a", "Content-Length: 101"), 413);
  EXPECT_EQ(status("POST /api/capture", "Content-Length: 1"), 413);
  EXPECT_EQ(status("GET /api/upload", "Content-Length: 1"), 413);
  EXPECT_EQ(status("POST /api/upload", "Content-Length: 1\r\nContent-Length: 1"), 413);
  EXPECT_EQ(status("POST /api/upload", "Content-Length: 1x"), 413);
  EXPECT_EQ(status("POST /api/upload", "Transfer-Encoding: chunked"), 413);
}

}  // namespace
}  // namespace stepscope
