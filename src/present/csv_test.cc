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

}  // namespace
}  // namespace stepscope
