#include "command/errors.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(FormatError, SentencePlaceAndNextStep) {
  const Error error{ErrorCode::kDamaged, "The file ends in the middle.", "a\x1b.json", 12'345,
                    "record it again"};
  EXPECT_EQ(FormatError("report", error),
            "stepscope report: a\uFFFD.json: The file ends in the middle. (at byte 12,345)\n"
            "  next: record it again\n");
  EXPECT_EQ(FormatError("", {.sentence = "no"}), "stepscope: no\n");
  EXPECT_EQ(FormatError("report", error, Language::kChinese),
            "stepscope report: a\uFFFD.json: The file ends in the middle.（第 12,345 字节处）\n"
            "  下一步：record it again\n");
}

TEST(ExitCodeFor, AsDocumented) {
  EXPECT_EQ(ExitCodeFor(ErrorCode::kCannotRead), 1);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kDamaged), 1);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kUnsupported), 1);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kCannotWrite), 1);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kUsage), 2);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kInterrupted), 130);
}

}  // namespace
}  // namespace stepscope
