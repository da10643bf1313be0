// Encodings against values laid out by hand from parquet-format's Encodings.md, stacks against
// sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "export/parquet.h"
#include "export/parquet_encoding.h"
#include "export/stacks.h"
#include "export/thrift_compact.h"

namespace stepscope::exported {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out += static_cast<char>(byte);
  return out;
}

// The example of Encodings.md: 0 to 7 in 3 bits each are 10001000 11000110 11111010.
TEST(ParquetEncoding, PacksBitsFromTheLowest) {
  const std::vector<uint32_t> values{0, 1, 2, 3, 4, 5, 6, 7};
  std::string out;
  PackBits(values, 3, out);
  EXPECT_EQ(out, Bytes({0b10001000, 0b11000110, 0b11111010}));
}

TEST(ParquetEncoding, PacksAcrossWords) {
  std::string out;
  PackBits(std::vector<uint32_t>(5, 0xFFFFFFFF), 32, out);
  EXPECT_EQ(out, std::string(20, '\xFF'));
}

// The first example of Encodings.md: 1 to 5 are header 128, 4, 5, 1, then one delta of 1 in 0 bits.
TEST(ParquetEncoding, Deltas) {
  std::string out;
  AppendDeltas(std::vector<int64_t>{1, 2, 3, 4, 5}, out);
  EXPECT_EQ(out, Bytes({0x80, 0x01, 4, 5, 2, 2, 0, 0, 0, 0}));
}

// The second: 7, 5, 3, 1, 2, 3, 4, 5 has the least delta -2 and offsets 0, 0, 0, 3, 3, 3, 3 in 2
// bits.
TEST(ParquetEncoding, DeltasThatFall) {
  std::string out;
  AppendDeltas(std::vector<int64_t>{7, 5, 3, 1, 2, 3, 4, 5}, out);
  std::string wanted = Bytes({0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0, 0b11000000, 0b00111111});
  wanted.resize(wanted.size() + 6, '\0');
  EXPECT_EQ(out, wanted);
}

TEST(ParquetEncoding, LevelsSayWhereValuesAre) {
  std::string all, some;
  AppendLevels({}, 9, all);
  EXPECT_EQ(all, Bytes({2, 0, 0, 0, 18, 1}));
  AppendLevels(std::vector<uint8_t>{1, 0, 1, 1}, 4, some);
  EXPECT_EQ(some, Bytes({2, 0, 0, 0, 3, 0b1101}));
}

TEST(ThriftCompact, WritesFieldsByTheirDistance) {
  std::string out;
  ThriftCompact thrift(out);
  thrift.I32(1, -1);
  thrift.Text(4, "ab");
  thrift.List(5, ThriftCompact::Element::kI32, 1);
  thrift.I32InList(3);
  EXPECT_EQ(out, Bytes({0x15, 1, 0x38, 2, 'a', 'b', 0x19, 0x15, 6}));
}

// Rows 0, 1, 2 …, with a text that has a bad byte and nulls.
class Numbers : public TableSource {
 public:
  explicit Numbers(uint64_t rows) : rows_(rows) {}
  const std::vector<ColumnSpec>& columns() const override { return specs_; }
  uint64_t rows() const override { return rows_; }
  void Fill(size_t column, uint64_t first, uint32_t count, ColumnData& out) const override {
    out.Clear();
    out.dictionary = {"even", "odd\xFF"};
    for (uint64_t i = first; i < first + count; ++i) {
      if (column == 0) out.integers.push_back(static_cast<int64_t>(i * i));
      if (column == 1) out.codes.push_back(static_cast<uint32_t>(i % 2));
      if (column == 1) out.valid.push_back(i % 5 == 0 ? 0 : 1);
    }
  }

 private:
  const uint64_t rows_;
  const std::vector<ColumnSpec> specs_{{"square", ColumnSpec::Type::kInt, false},
                                       {"kind", ColumnSpec::Type::kText, true}};
};

class Kept : public ByteSink {
 public:
  Result<void> Write(std::string_view bytes) override {
    text += bytes;
    return {};
  }
  Result<void> Close() override { return {}; }
  std::string text;
};

TEST(Parquet, SameBytesAtAnyNumberOfThreads) {
  std::vector<std::string> files;
  for (const unsigned threads : {1U, 2U, 7U}) {
    TaskPool pool(threads);
    Kept sink;
    ASSERT_TRUE(WriteParquet(Numbers(10'000), {.rows_per_group = 3000}, pool, sink));
    files.push_back(sink.text);
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_EQ(files[0], files[2]);
  EXPECT_TRUE(files[0].starts_with("PAR1") && files[0].ends_with("PAR1"));
}

TEST(Parquet, ATableWithoutRowsIsAFile) {
  TaskPool pool(1);
  Kept sink;
  ASSERT_TRUE(WriteParquet(Numbers(0), {}, pool, sink));
  EXPECT_TRUE(sink.text.starts_with("PAR1") && sink.text.ends_with("PAR1"));
}

TEST(Stacks, FramesOfPythonHaveFileAndLine) {
  const FrameParts parts = PartsOf("torch/nn/linear.py(116): forward");
  EXPECT_EQ(parts.function, "forward");
  EXPECT_EQ(parts.file, "torch/nn/linear.py");
  EXPECT_EQ(parts.line, 116);
  EXPECT_EQ(PartsOf("void kernel(int)").function, "void kernel(int)");
  EXPECT_EQ(PartsOf("f(x): g").file, "");
}

TEST(ValidUtf8, ReplacesBadBytes) { EXPECT_EQ(ValidUtf8("a\xFFz"), "a\xEF\xBF\xBDz"); }

}  // namespace
}  // namespace stepscope::exported
