#include "base/message.h"
#include "base/message_saying.h"

#include <gtest/gtest.h>

#include <array>

namespace stepscope {
namespace {

constexpr std::array kTexts = std::to_array<Text>({
    {"wait", "{wait:duration} of each {step:duration} step ({share:percent})",
     "每步 {step} 中有 {wait}（{share}）"},
    {"steps", "{n:int} {step was|steps were} left out; {n?it is|they are} warm-up.",
     "略去 {n} 步。"},
    {"idle", "{device} idles {cost}.", "{device} 空闲：{cost}。"},
    {"code", "f(x, {{1: 2})"},
    {"numbers", "{a:count} {b:mean} {c:.2f} {d:gib} {e:limit} {f:bytes} {g:share}", "{g} {a}"},
});
constexpr SayFrom<kTexts> Say;

TEST(Message, ReadsInEitherLanguage) {
  const Message wait = Say("wait", DurationNs{3'100'000}, DurationNs{20'000'000}, 0.155);
  EXPECT_EQ(Render(wait, Language::kEnglish), "3.10 ms of each 20.0 ms step (16 %)");
  EXPECT_EQ(Render(wait, Language::kChinese), "每步 20.0 ms 中有 3.10 ms（16 %）");
  const Message idle = Say("idle", "gpu:0", wait);
  EXPECT_EQ(Render(idle, Language::kEnglish), "gpu:0 idles 3.10 ms of each 20.0 ms step (16 %).");
  EXPECT_EQ(Render(idle, Language::kChinese), "gpu:0 空闲：每步 20.0 ms 中有 3.10 ms（16 %）。");
}

TEST(Message, ChoosesTheWordsForOneAndForSeveral) {
  EXPECT_EQ(Render(Say("steps", 1), Language::kEnglish), "1 step was left out; it is warm-up.");
  EXPECT_EQ(Render(Say("steps", 4), Language::kEnglish),
            "4 steps were left out; they are warm-up.");
  EXPECT_EQ(Render(Say("steps", 1), Language::kChinese), "略去 1 步。");
}

TEST(Message, ShowsCodeAsItIs) {
  EXPECT_EQ(Render(Say("code"), Language::kEnglish), "f(x, {1: 2})");
  EXPECT_EQ(Render(Say("code"), Language::kChinese), "f(x, {1: 2})");
}

TEST(Message, ShowsNumbersByTheirUnit) {
  const Message numbers =
      Say("numbers", 1'234'567, 2.52, 1.5, int64_t{3} << 29, DurationNs{50'000}, 65'536, 0.005);
  EXPECT_EQ(Render(numbers, Language::kEnglish), "1,234,567 2.5 1.50 1.50 GiB 50 µs 64 KiB 0.5 %");
  EXPECT_EQ(Render(numbers, Language::kChinese), "0.5 % 1,234,567");
}

TEST(Message, SentencesFollowEachOtherAsTheLanguageHasIt) {
  const Messages both{Say("steps", 1), Say("steps", 2)};
  EXPECT_EQ(Render(both, Language::kChinese), "略去 1 步。略去 2 步。");
  EXPECT_EQ(Render(both, Language::kEnglish),
            "1 step was left out; it is warm-up. 2 steps were left out; they are warm-up.");
  EXPECT_EQ(RenderLines(both, Language::kChinese), "略去 1 步。\n略去 2 步。");
}

constexpr std::array kLost = std::to_array<Text>({
    {"lost.all", "nothing was kept", "什么都没有保留"},
    {"lost.in", "{tool} failed in {place}: {why}", "{tool} 在 {place} 中失败：{why}"},
});

TEST(MessageSaying, FindsTheMessageByItsEnglish) {
  const Message plain = MessageSaying(kLost, "nothing was kept");
  EXPECT_EQ(Render(plain, Language::kChinese), "什么都没有保留");
  const Message holes = MessageSaying(kLost, "the hook failed in step: a: b");
  EXPECT_EQ(Render(holes, Language::kChinese), "the hook 在 step 中失败：a: b");
  EXPECT_EQ(Render(holes, Language::kEnglish), "the hook failed in step: a: b");
  // What no text says stays as it is.
  EXPECT_EQ(Render(MessageSaying(kLost, "nothing was kept here"), Language::kChinese),
            "nothing was kept here");
}

TEST(MessageSaying, PrefersWordsToHoles) {
  static constexpr std::array kAlike = std::to_array<Text>({
      {"t.any", "{what}: {why}", "{what}：{why}"},
      {"t.rows", "{n:count} {row|rows} in {file}", "{file} 中有 {n} 行"},
      {"t.lost", "the file: {why}", "文件：{why}"},
  });
  EXPECT_EQ(Render(MessageSaying(kAlike, "the file: gone"), Language::kChinese), "文件：gone");
  // A number is no text.
  EXPECT_EQ(Render(MessageSaying(kAlike, "2 rows in a"), Language::kChinese), "2 rows in a");
}

TEST(Language, ComesFromANameOrALocale) {
  EXPECT_EQ(LanguageNamed("zh"), Language::kChinese);
  EXPECT_EQ(LanguageNamed("fr"), std::nullopt);
  EXPECT_EQ(LanguageOf("zh_CN.UTF-8"), Language::kChinese);
  EXPECT_EQ(LanguageOf("C.UTF-8"), Language::kEnglish);
}

}  // namespace
}  // namespace stepscope
