#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tables/column_of.h"
#include "tables/describe.h"

namespace stepscope::tables {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Fruit {
  std::string name;
  StringId origin = kEmptyString;
  uint64_t pieces = 0;
  DurationNs age;
  std::optional<double> sweetness;
  SliceId slice = kNoSlice;
  bool ripe = false;
};

// A new column is one more entry here; everything below reads it.
constexpr auto kFruitColumns = std::to_array<Column>({
    Of<&Fruit::name>(
        {.name = "name", .meaning = {"what it is", "名称"}, .title = {"Name", "名称"}}),
    Of<&Fruit::origin>({.name = "origin", .meaning = {"where it grew", "产地"}}),
    Of<&Fruit::pieces>({.name = "pieces", .meaning = {"how many", "数量"}}),
    Of<&Fruit::age>({.name = "age_ns",
                     .meaning = {"since the harvest", "采摘后的时间"},
                     .title = {"Age", "时间"},
                     .page = {.place = 1, .bar = true}}),
    Of<&Fruit::sweetness>(
        {.name = "sweetness", .meaning = {"share of sugar", "含糖量"}, .unit = Unit::kPercent}),
    Of<&Fruit::slice>({.name = "slice_id", .meaning = {"its slice", "切片"}, .joins = "slice.id"}),
    Of<[](const Fruit& row) { return std::string(row.pieces, '*'); }>(
        {.name = "stars", .meaning = {"pieces as stars", "以星号表示的数量"}, .shown = kInCsv}),
    Of<&Fruit::ripe>({.name = "ripe", .meaning = {"whether to eat it", "是否成熟"}}),
});
constexpr TableFacts kFruits{"fruits", {"a fruit", "一种水果"}, kFruitColumns, "fruit", "FruitRow",
                             "fruits"};

struct Basket {
  Trace trace;
  std::vector<Fruit> rows;
  RowSource source() const { return {&trace, rows.data(), static_cast<uint32_t>(rows.size())}; }
};

Basket Filled() {
  Basket basket;
  const StringId spain = basket.trace.strings.Intern("Spain");
  basket.rows = {{"orange", spain, 3, {7}, 9.5, SliceId{4}, true}, {"lemon", spain, 2, {8}}};
  return basket;
}

TEST(Column, TypeUnitAndNullRuleComeFromTheGetter) {
  EXPECT_EQ(kFruitColumns[0].type, CellType::kText);
  EXPECT_EQ(kFruitColumns[1].type, CellType::kName);
  EXPECT_EQ(kFruitColumns[3].unit, Unit::kNs);
  EXPECT_TRUE(kFruitColumns[3].natural);
  EXPECT_EQ(kFruitColumns[4].nulls, Nulls::kNull);
  EXPECT_EQ(kFruitColumns[5].nulls, Nulls::kNull);
  EXPECT_EQ(kFruitColumns[7].type, CellType::kBool);
}

TEST(Column, CellsReadRows) {
  const Basket basket = Filled();
  std::string scratch;
  const auto cell = [&](size_t column, uint32_t row) {
    return kFruitColumns[column].cell(basket.source(), row, scratch);
  };
  EXPECT_EQ(cell(0, 1).text, "lemon");
  EXPECT_EQ(cell(1, 0).text, "Spain");
  EXPECT_EQ(cell(3, 1).integer, 8);
  EXPECT_EQ(cell(4, 0).real, 9.5);
  EXPECT_TRUE(cell(4, 1).null);
  EXPECT_TRUE(cell(5, 1).null);
  EXPECT_EQ(cell(6, 0).text, "***");
}

TEST(Column, StretchesAreTheSameCells) {
  const Basket basket = Filled();
  ColumnValues values;
  kFruitColumns[3].fill(basket.source(), 0, 2, values);
  EXPECT_THAT(values.integers, ElementsAre(7, 8));
  EXPECT_TRUE(values.valid.empty());
  kFruitColumns[4].fill(basket.source(), 0, 2, values);
  EXPECT_THAT(values.valid, ElementsAre(1, 0));
  kFruitColumns[6].fill(basket.source(), 1, 1, values);
  EXPECT_THAT(values.texts, ElementsAre("**"));
  kFruitColumns[1].fill(basket.source(), 0, 2, values);
  EXPECT_EQ(values.names[0], values.names[1]);
}

TEST(Describe, AColumnIsInEveryFileOutsideCpp) {
  EXPECT_THAT(
      SchemaOf(kFruits),
      HasSubstr(
          R"("age_ns": {"type": "integer", "minimum": 0, "description": "since the harvest"})"));
  EXPECT_THAT(SchemaOf(kFruits), HasSubstr(R"("sweetness": {"type": ["number", "null"])"));
  EXPECT_THAT(SchemaOf(kFruits), Not(HasSubstr("stars")));
  EXPECT_THAT(
      MarkdownOf(kFruits),
      HasSubstr("| `slice_id` | integer |  | where unknown | slice.id |  | its slice | 切片 |"));
  EXPECT_THAT(TypeScriptTypeOf(kFruits), HasSubstr("  sweetness: number | null;\n"));
  EXPECT_THAT(TypeScriptColumnsOf(kFruits), HasSubstr("title: { en: 'Age', zh: '时间' }"));
  EXPECT_THAT(TypeScriptColumnsOf(kFruits), HasSubstr("unit: 'ms'"));
  EXPECT_THAT(PythonTypeOf(kFruits), HasSubstr("FruitsColumn = Literal[\n    \"name\",\n"));
  EXPECT_THAT(PythonTypeOf(kFruits), Not(HasSubstr("stars")));
}

}  // namespace
}  // namespace stepscope::tables
