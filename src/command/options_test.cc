#include "command/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  bool json = false;
  int64_t top = 10;
  double share = 0;
  std::string output, color;
  std::vector<std::string> paths, tags;
  Result<OptionParser::Outcome> outcome = OptionParser::Outcome::kRun;
  std::string help;
};

Parsed Parse(std::vector<std::string> words) {
  Parsed parsed;
  OptionParser parser("report", "PATH...", "Says why.");
  parser.Flag("--json", "as JSON", &parsed.json);
  parser.Integer("--top", "N", "rows", &parsed.top, 1, 1000);
  parser.Number("--share", "X", "a share", &parsed.share);
  parser.Text("-o,--output", "FILE", "where to", &parsed.output);
  parser.Texts("--tag", "T", "tags", &parsed.tags);
  parser.Choice("--color", {"auto", "never"}, "colour", &parsed.color);
  parser.Positionals("PATH", &parsed.paths, 1, 3);
  parser.Example("stepscope report x", "the story");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  parsed.outcome = parser.Parse(arguments);
  parsed.help = parser.Help(Language::kEnglish);
  return parsed;
}

std::string Complaint(std::vector<std::string> words) {
  const Parsed parsed = Parse(std::move(words));
  if (parsed.outcome) return "none";
  EXPECT_EQ(parsed.outcome.error().code, ErrorCode::kUsage);
  return InEnglish(parsed.outcome.error().sentence);
}

TEST(OptionParser, AllSpellings) {
  const Parsed parsed = Parse({"a", "--json", "--top=3", "-", "--tag", "x", "-oout", "--tag=y",
                               "--share", "-0.5", "--", "--top"});
  ASSERT_TRUE(parsed.outcome);
  EXPECT_TRUE(parsed.json);
  EXPECT_EQ(parsed.top, 3);
  EXPECT_EQ(parsed.share, -0.5);
  EXPECT_EQ(parsed.output, "out");
  EXPECT_THAT(parsed.paths, ElementsAre("a", "-", "--top"));
  EXPECT_THAT(parsed.tags, ElementsAre("x", "y"));
  EXPECT_EQ(Parse({"a", "-o", "f"}).output, "f");
  EXPECT_EQ(Parse({"a", "--output=a=b"}).output, "a=b");
}

TEST(OptionParser, SpeaksChinese) {
  const auto complaint = [](std::vector<std::string> words) {
    return Render(Parse(std::move(words)).outcome.error().sentence, Language::kChinese);
  };
  EXPECT_EQ(complaint({"a", "--jsno"}), "没有选项 --jsno；是不是 --json？");
  EXPECT_EQ(complaint({"a", "--top=0"}), "--top 至少为 1，不能是“0”");
  EXPECT_EQ(complaint({"a", "--color", "red"}), "--color 只能是 auto, never 之一，不能是“red”");
  OptionParser parser("report", "PATH...", "about");
  parser.Example("stepscope report x", "the story");
  EXPECT_EQ(parser.Help(Language::kChinese),
            "用法：stepscope report PATH...\n\nabout\n\n\n示例\n"
            "  stepscope report x\n      the story\n");
}

TEST(OptionParser, SaysWhatIsWrong) {
  EXPECT_EQ(Complaint({"a", "--jsno"}), "there is no option --jsno; did you mean --json?");
  EXPECT_EQ(Complaint({"a", "--outpt=x"}), "there is no option --outpt; did you mean --output?");
  EXPECT_EQ(Complaint({"a", "--quux"}), "there is no option --quux");
  EXPECT_EQ(Complaint({"a", "--top"}), "--top needs a value: --top N");
  EXPECT_EQ(Complaint({"a", "--top", "3x"}), "--top needs a whole number, not '3x'");
  EXPECT_EQ(Complaint({"a", "--top", "99999999999999999999"}),
            "--top needs a whole number, not '99999999999999999999'");
  EXPECT_EQ(Complaint({"a", "--top=0"}), "--top must be at least 1, not '0'");
  EXPECT_EQ(Complaint({"a", "--top=1001"}), "--top must be at most 1000, not '1001'");
  EXPECT_EQ(Complaint({"a", "--json=1"}), "--json takes no value");
  EXPECT_EQ(Complaint({"a", "--color", "red"}), "--color must be one of auto, never, not 'red'");
  EXPECT_EQ(Complaint({}), "PATH is missing");
  EXPECT_EQ(Complaint({"a", "b", "c", "d"}), "'d' is one argument too many");
}

TEST(OptionParser, HelpWinsAndShowsAll) {
  const Parsed parsed = Parse({"--help"});
  ASSERT_TRUE(parsed.outcome);
  EXPECT_EQ(*parsed.outcome, OptionParser::Outcome::kHelp);
  EXPECT_THAT(parsed.help, HasSubstr("usage: stepscope report PATH..."));
  EXPECT_THAT(parsed.help, HasSubstr("  -o, --output FILE   where to\n"));
  EXPECT_THAT(parsed.help, HasSubstr("  stepscope report x\n      the story\n"));
}

}  // namespace
}  // namespace stepscope
