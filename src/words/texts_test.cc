#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/diagnostics.h"
#include "base/testing/data.h"
#include "words/text.h"

namespace stepscope {
namespace {

std::vector<const Text*> Every() {
  std::vector<const Text*> texts;
  for (const std::span<const Text> table : AllTexts()) {
    for (const Text& text : table) texts.push_back(&text);
  }
  return texts;
}

// name → unit of the holes of a template; what a choice goes by counts as used.
std::set<std::string> HolesOf(std::string_view text) {
  std::set<std::string> names;
  while (!text.empty()) {
    const TextPiece piece = TakePiece(text);
    if (piece.has_hole && !piece.name.empty()) names.insert(std::string(piece.name));
  }
  return names;
}

bool EndsWithAny(std::string_view id, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return id.ends_with(end); });
}

bool HasChinese(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0xE4 && static_cast<unsigned char>(c) <= 0xE9;
  });
}

std::string Sources() {
  std::ostringstream all;
  for (const char* folder : {"src", "python/src"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SourceFile(folder))) {
      const std::string path = entry.path().string();
      const bool code = path.ends_with(".cc") || path.ends_with(".h");
      const bool table = path.find("/src/words/") != std::string::npos && path.ends_with(".h");
      if (!code || path.ends_with("_test.cc") || table) continue;
      all << std::ifstream(path).rdbuf();
    }
  }
  return all.str();
}

TEST(Texts, HaveIdsOfTheirOwn) {
  std::set<std::string_view> seen;
  for (const Text* text : Every()) EXPECT_TRUE(seen.insert(text->id).second) << text->id;
  EXPECT_GE(seen.size(), 1700u);
}

// Only code, commands and the names of sources read the same in both.
TEST(Texts, AreThereInEnglishAndChinese) {
  for (const Text* text : Every()) {
    EXPECT_FALSE(text->english.empty()) << text->id;
    EXPECT_FALSE(HasChinese(text->english)) << text->id;
    if (EndsWithAny(text->id, {".pytorch", ".tensorflow", ".jax", ".onnx_runtime", ".other", ".fix",
                               ".sources", "mkl-openmp-env.blocktime", "mkl-openmp-env.affinity",
                               "mkl-openmp-env.threads"})) {
      continue;
    }
    EXPECT_FALSE(text->chinese.empty()) << text->id;
  }
}

TEST(Texts, UseTheSameArgumentsInBothLanguages) {
  for (const Text* text : Every()) {
    if (text->chinese.empty()) continue;
    EXPECT_EQ(HolesOf(text->english), HolesOf(text->chinese)) << text->id;
  }
}

// A unit stands in the English template alone.
TEST(Texts, NameUnitsOnce) {
  for (const Text* text : Every()) {
    for (std::string_view rest = text->chinese; !rest.empty();) {
      EXPECT_EQ(TakePiece(rest).unit, "") << text->id;
    }
  }
}

// Chinese is written with full-width marks; a half-width one would come from the English.
TEST(Texts, EndAlikeInBothLanguages) {
  for (const Text* text : Every()) {
    if (text->chinese.empty() || !HasChinese(text->chinese)) continue;
    const bool goes_on = EndsWithAny(text->english, {"….", "..."});
    EXPECT_EQ(text->english.ends_with('.') && !goes_on, text->chinese.ends_with("。")) << text->id;
  }
}

// A fault without a sentence could not be shown.
TEST(Texts, HaveASentenceForEveryFault) {
  for (auto code = Diagnostic{}; code <= Diagnostic::kNotRecorded;
       code = static_cast<Diagnostic>(static_cast<int>(code) + 1)) {
    const Text* text = FindText("quality." + std::string(CodeOf(code)));
    ASSERT_NE(text, nullptr) << CodeOf(code);
    EXPECT_LE(ArgumentCount(*text), 1u) << "it gets the count and nothing else";
  }
}

TEST(Texts, AreAllSaid) {
  // Every literal that could be an id, and the ids of rules.
  const std::string sources = Sources();
  std::set<std::string_view> literals, rules;
  for (std::string_view rest = sources; true;) {
    const size_t open = rest.find('"');
    if (open == std::string_view::npos) break;
    const size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-", open + 1);
    const std::string_view literal = rest.substr(open + 1, end - open - 1);
    literals.insert(literal);
    if (rest.substr(0, open).ends_with("Rule{")) rules.insert(literal);
    rest.remove_prefix(std::max(end, open + 1));
  }
  EXPECT_EQ(rules.size(), 100u);
  for (const Text* text : Every()) {
    // What `explain` says about a rule is found by the rule's id.
    const size_t dot = text->id.rfind('.');
    const bool of_rule =
        rules.contains(text->id.substr(0, dot)) &&
        EndsWithAny(text->id, {".symptom", ".detection", ".threshold", ".saving", ".pytorch",
                               ".tensorflow", ".jax", ".onnx_runtime", ".other", ".false_alarms",
                               ".refuted_by", ".sources"});
    // The sentence of a fault is found by its code.
    const bool of_fault =
        text->id.starts_with("quality.") && literals.contains(text->id.substr(dot + 1));
    // What a program that is recorded says stands in its library and hook, in English; so do the
    // words of progress in what reads.
    const bool of_recording = text->id.starts_with("loss.") || text->id.starts_with("progress.");
    EXPECT_TRUE(of_rule || of_fault || of_recording || literals.contains(text->id))
        << text->id << " is never said";
  }
}

// Rules hold no prose: a literal with a space in it is a sentence that was assembled outside of
// words/.
TEST(Texts, AreNotAssembledInRules) {
  const std::regex literal(R"re("((?:[^"\\\n]|\\.)*)")re");
  for (const auto& entry : std::filesystem::directory_iterator(SourceFile("src/advise"))) {
    const std::string path = entry.path().string();
    if (!path.ends_with("_rules.cc") && !path.ends_with("lints.cc") &&
        !path.ends_with("rule_tools.cc") && !path.ends_with("advise.cc")) {
      continue;
    }
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#include")) continue;
      line.resize(std::min(line.find("//"), line.size()));
      for (std::sregex_iterator at(line.begin(), line.end(), literal), end; at != end; ++at) {
        const std::string text = (*at)[1];
        EXPECT_TRUE(text.find(' ') == std::string::npos || text == ", ") << path << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace stepscope
