#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "present/style.h"

namespace stepscope {

enum class Align : uint8_t { kLeft, kRight };

// What happens to a column when the table is wider than the terminal. The first one always stays.
enum class Fit : uint8_t {
  kKeep,     // stays as it is
  kShorten,  // its texts lose their middle, down to kMinShortened columns; goes when all else has
  kDrop,     // goes, the last such column first; also when all its cells are empty
  kBar,      // cells are bars; takes what is left, goes when that is too little
};

struct Column {
  std::string title;
  Align align = Align::kLeft;
  Fit fit = Fit::kKeep;
};

struct Cell {
  std::string text;
  Color color = Color::kPlain;
  double share = 0;     // of the bar, 0..1, in columns with Fit::kBar
  std::string shorter;  // what to show where the text does not fit, before cutting into it

  Cell() = default;
  Cell(std::string text_, Color color_ = Color::kPlain)  // NOLINT: a text is a cell
      : text(std::move(text_)), color(color_) {}
  Cell(std::string_view text_, Color color_ = Color::kPlain)  // NOLINT
      : text(text_), color(color_) {}
  Cell(const char* text_, Color color_ = Color::kPlain) : text(text_), color(color_) {}  // NOLINT
  static Cell WithShorter(std::string text, std::string shorter);
  static Cell Bar(double share, Color color);
};

// Aligned columns under a heading. The heading shares the line with the column titles and stands in
// for the title of the first column; rows are indented below it. Texts are cleaned
// (Style::Clean), so cells may hold anything a file said.
class Table {
 public:
  static constexpr size_t kMinShortened = 20;
  static constexpr size_t kMinFirst = 34;  // of a first column that may be shortened
  static constexpr size_t kMinBar = 6;
  static constexpr size_t kLegibleBar = 12;
  static constexpr size_t kMaxBar = 28;

  Table(std::string heading, std::vector<Column> columns)
      : heading_(std::move(heading)), columns_(std::move(columns)) {}

  // As many cells as columns; missing ones at the end are empty.
  void AddRow(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  // The first column is at least this wide: makes tables under each other line up.
  void set_min_first_width(size_t columns) { min_first_width_ = columns; }

  // Lines, each with its "\n"; no trailing blanks.
  std::string Render(const Style& style) const;

 private:
  struct Layout {
    std::vector<size_t> width;  // by column; 0: dropped
  };
  std::vector<size_t> NaturalWidths(const std::vector<std::vector<std::string>>& texts,
                                    const Style& style) const;
  size_t HeadingWidth(const Style& style) const;
  void GrowBars(size_t most, std::vector<size_t>& width, size_t& spare) const;
  void GrowShortened(const std::vector<size_t>& natural, std::vector<size_t>& width,
                     size_t& spare) const;
  Layout Arrange(const std::vector<std::vector<std::string>>& texts, const Style& style) const;
  std::string Line(const std::vector<Cell>& cells, const std::vector<std::string>& texts,
                   const Layout& layout, const Style& style) const;

  std::string heading_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  size_t min_first_width_ = 0;
};

}  // namespace stepscope
