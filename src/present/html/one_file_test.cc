#include "present/html/one_file.h"

#include <gtest/gtest.h>

#include "analyze/report.h"
#include "present/html/page_files.h"
#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

// RFC 4648, section 10.
TEST(Base64, AgreesWithTheStandard) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
}

TEST(OneFileHtml, NothingOfTheProfileCanBecomeMarkup) {
  Trace trace = TraceText(R"(
    main   step:ProfilerStep#1 0..1000   op:</script><script>alert(1)</script> 10..100  launch#1 20..30
    gpu:0  kernel:<img/src/onerror>#1 40..500
  )");
  trace.path = "a<b>.json";
  TaskPool pool(1);
  const LinkedTrace linked = LinkTrace(trace, {}, pool);
  const Report report = Analyze(linked, {}, {}, pool);
  const Result<std::string> page =
      OneFileHtml({{Reported{&linked, &report}}}, nullptr, Language::kEnglish, pool);
  if (!HasPage()) {
    EXPECT_FALSE(page.has_value());
    GTEST_SKIP() << "SKIPPED: built without node, so there is no page";
  }
  ASSERT_TRUE(page.has_value());
  const size_t from = OneFileHead().size();
  const std::string data = page->substr(from, page->size() - from - OneFileTail().size());
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_NE(data.find("\\u003cscript>alert(1)"), std::string::npos);
  EXPECT_TRUE(page->starts_with("<!doctype html>"));
  EXPECT_TRUE(page->contains("default-src 'none'; script-src 'sha256-"));
}

}  // namespace
}  // namespace stepscope
