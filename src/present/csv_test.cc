#include "present/csv.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(CsvWriter, QuotesOnlyWhatNeedsIt) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"name", "ns"});
  csv.Row("add<int, 4>", int64_t{-5});
  csv.Row("say \"hi\"", 1u);
  csv.Row("two\nlines", std::optional<double>());
  csv.Row("plain", 0.5);
  EXPECT_EQ(out, "name,ns\n\"add<int, 4>\",-5\n\"say \"\"hi\"\"\",1\n\"two\nlines\",\nplain,0.5\n");
}

// What spreadsheets run: the first four characters, also behind a tab or a line end.
TEST(CsvWriter, DisarmsFormulasButNotNumbers) {
  std::string out;
  CsvWriter csv(out);
  csv.Row("=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-1.5e3", "-inf", "-x", "\t=1", "a=b");
  EXPECT_EQ(out, "'=cmd|' /C calc'!A0,'@SUM(1),+1,-1.5e3,-inf,'-x,'\t=1,a=b\n");
}

TEST(CsvWriter, NoControlsReachATerminal) {
  std::string out;
  CsvWriter csv(out);
  csv.Row("a\x1b[2Jb", "c\xC2\x9B", "\xE2\x80\xAEtxt");
  EXPECT_EQ(out, "a\xEF\xBF\xBD[2Jb,c\xEF\xBF\xBD,\xEF\xBF\xBDtxt\n");
}

}  // namespace
}  // namespace stepscope
