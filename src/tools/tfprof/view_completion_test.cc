#include "tools/tfprof/view_completion.h"

#include <gmock/gmock.h>

namespace stepscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(ViewCompletions, CommandsFirst) {
  EXPECT_THAT(ViewCompletions("s"), ElementsAre("scope", "set"));
  EXPECT_THAT(ViewCompletions("  he"), ElementsAre("help"));
  EXPECT_THAT(ViewCompletions(""), SizeIs(8));
  EXPECT_THAT(ViewCompletions("scope g"), IsEmpty());
}

TEST(ViewCompletions, Options) {
  EXPECT_THAT(ViewCompletions("scope -max"), ElementsAre("-max_depth"));
  EXPECT_THAT(ViewCompletions("op --min-acc"), ElementsAre("--min_accelerator_micros"));
  EXPECT_THAT(ViewCompletions("set -order"), ElementsAre("-order_by"));
  EXPECT_THAT(ViewCompletions("scope -"), Contains("-select"));
  EXPECT_THAT(ViewCompletions("scope -zzz"), IsEmpty());
}

TEST(ViewCompletions, ValuesOfTheOptionBefore) {
  EXPECT_THAT(ViewCompletions("scope -order_by mi"), ElementsAre("micros"));
  EXPECT_THAT(ViewCompletions("scope -order_by tensor"), IsEmpty());  // a column, not a key
  EXPECT_THAT(ViewCompletions("scope --order-by=o"),
              ElementsAre("--order-by=output_bytes", "--order-by=occurrence"));
  EXPECT_THAT(ViewCompletions("op -select micros,par"), ElementsAre("micros,params"));
  EXPECT_THAT(ViewCompletions("op -select=bytes,"), SizeIs(14));
  EXPECT_THAT(ViewCompletions("code -output p"), ElementsAre("pprof:outfile="));
  EXPECT_THAT(ViewCompletions("scope --preset "), SizeIs(3));
  EXPECT_THAT(ViewCompletions("advise -checkers "), Not(IsEmpty()));
  EXPECT_THAT(ViewCompletions("scope -max_depth "), IsEmpty());
}

}  // namespace
}  // namespace stepscope
