#include "command/terminal_language.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace stepscope {
namespace {

Language After(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  ChooseTerminalLanguage(arguments);
  return TerminalLanguage();
}

class TerminalLanguageTest : public testing::Test {
 protected:
  void SetUp() override { Locale("C.UTF-8"); }
  void TearDown() override { After({}); }
  static void Locale(const char* name) { setenv("LC_ALL", name, 1); }
};

TEST_F(TerminalLanguageTest, IsTheOneOfLangOrTheLocales) {
  EXPECT_EQ(After({"stepscope", "report", "x"}), Language::kEnglish);
  EXPECT_EQ(After({"stepscope", "report", "--lang", "zh", "x"}), Language::kChinese);
  EXPECT_EQ(After({"stepscope", "--lang=zh"}), Language::kChinese);
  EXPECT_EQ(After({"stepscope", "report", "--lang"}), Language::kEnglish);
  EXPECT_EQ(After({"stepscope", "report", "--lang", "fr"}), Language::kEnglish);
  Locale("zh_CN.UTF-8");
  EXPECT_EQ(After({"stepscope", "report", "x"}), Language::kChinese);
  EXPECT_EQ(After({"stepscope", "report", "--lang", "en"}), Language::kEnglish);
  Locale("C.UTF-8");
}

// What follows "--" belongs to the program that is recorded.
TEST_F(TerminalLanguageTest, IsNotTheOneOfTheRecordedProgram) {
  EXPECT_EQ(After({"stepscope", "record", "--", "python", "train.py", "--lang", "zh"}),
            Language::kEnglish);
}

}  // namespace
}  // namespace stepscope
