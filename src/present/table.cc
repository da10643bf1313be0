#include "present/table.h"

#include <algorithm>
#include <numeric>

#include "present/unicode.h"

namespace stepscope {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kGap = 2;

size_t Least(const Column& column, size_t natural) {
  switch (column.fit) {
    case Fit::kKeep:
    case Fit::kDrop:
      return natural;
    case Fit::kShorten:
      return std::min(natural, Table::kMinShortened);
    case Fit::kBar:
      return Table::kMinBar;
  }
  std::unreachable();
}

// Columns in use, gaps and indent included.
size_t Total(const std::vector<size_t>& width) {
  size_t total = kIndent;
  size_t shown = 0;
  for (const size_t w : width) {
    total += w;
    shown += w > 0 ? 1 : 0;
  }
  return total + (shown > 1 ? (shown - 1) * kGap : 0);
}

// The last column of that kind that is still visible, or the number of columns.
size_t LastShown(const std::vector<Column>& columns, const std::vector<size_t>& width, Fit fit) {
  for (size_t c = columns.size(); c-- > 0;) {
    if (columns[c].fit == fit && width[c] > 0) return c;
  }
  return columns.size();
}

std::string Padded(std::string_view text, std::string_view painted, size_t width, Align align) {
  const size_t used = DisplayWidth(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return align == Align::kLeft ? std::string(painted) + blanks : blanks + std::string(painted);
}

void TrimRight(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

Cell Cell::WithShorter(std::string text, std::string shorter) {
  Cell cell(std::move(text));
  cell.shorter = std::move(shorter);
  return cell;
}

Cell Cell::Bar(double share, Color color) {
  Cell cell;
  cell.share = share;
  cell.color = color;
  return cell;
}

void Table::AddRow(std::vector<Cell> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::NaturalWidths(const std::vector<std::vector<std::string>>& texts,
                                         const Style& style) const {
  std::vector<size_t> natural(columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) {
    natural[c] = DisplayWidth(style.Clean(columns_[c].title));
    for (const auto& row : texts) natural[c] = std::max(natural[c], DisplayWidth(row[c]));
  }
  natural[0] = std::max({natural[0], min_first_width_, HeadingWidth(style)});
  return natural;
}

// The width that the heading needs in the first column.
size_t Table::HeadingWidth(const Style& style) const {
  const size_t heading = DisplayWidth(style.Clean(heading_));
  return heading > kIndent ? heading - kIndent : 0;
}

Table::Layout Table::Arrange(const std::vector<std::vector<std::string>>& texts,
                             const Style& style) const {
  const std::vector<size_t> natural = NaturalWidths(texts, style);
  std::vector<size_t> width(columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) width[c] = Least(columns_[c], natural[c]);
  // Drops a column that may be dropped and is empty.
  for (size_t c = 1; c < columns_.size(); ++c) {
    const bool empty =
        std::all_of(texts.begin(), texts.end(), [c](const auto& row) { return row[c].empty(); });
    if (empty && columns_[c].fit == Fit::kDrop) width[c] = 0;
  }
  width[0] = std::min(natural[0], std::max({width[0], HeadingWidth(style), kMinFirst}));
  for (const Fit fit : {Fit::kDrop, Fit::kBar, Fit::kShorten}) {
    for (size_t c = 0; Total(width) > style.width; width[c] = 0) {
      c = LastShown(columns_, width, fit);
      if (c == 0 || c == columns_.size()) break;
    }
  }
  if (const size_t total = Total(width); total > style.width && columns_[0].fit == Fit::kShorten) {
    width[0] -= std::min(total - style.width, width[0] - std::min(width[0], kMinShortened));
  }
  // Spare width first makes the bars legible, then goes to the shortened columns (the first gets
  // twice as much), then to the bars again.
  size_t spare = style.width - std::min(style.width, Total(width));
  GrowBars(kLegibleBar, width, spare);
  GrowShortened(natural, width, spare);
  GrowBars(kMaxBar, width, spare);
  return {std::move(width)};
}

void Table::GrowBars(size_t most, std::vector<size_t>& width, size_t& spare) const {
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].fit != Fit::kBar || width[c] == 0 || width[c] >= most) continue;
    const size_t more = std::min(spare, most - width[c]);
    width[c] += more;
    spare -= more;
  }
}

void Table::GrowShortened(const std::vector<size_t>& natural, std::vector<size_t>& width,
                          size_t& spare) const {
  for (bool gave = true; spare > 0 && gave;) {
    gave = false;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].fit != Fit::kShorten || width[c] == 0) continue;
      const size_t more = std::min({spare, natural[c] - width[c], size_t{c == 0 ? 2U : 1U}});
      width[c] += more;
      spare -= more;
      gave = gave || more > 0;
    }
  }
}

std::string Table::Line(const std::vector<Cell>& cells, const std::vector<std::string>& texts,
                        const Layout& layout, const Style& style) const {
  std::string line(kIndent, ' ');
  bool first = true;
  for (size_t c = 0; c < columns_.size(); ++c) {
    const size_t width = layout.width[c];
    if (width == 0) continue;
    if (!first) line.append(kGap, ' ');
    first = false;
    std::string text = columns_[c].fit == Fit::kBar ? style.Bar(cells[c].share, width) : texts[c];
    if (DisplayWidth(text) > width && !cells[c].shorter.empty())
      text = style.Clean(cells[c].shorter);
    if (DisplayWidth(text) > width) text = style.Shorten(text, width);
    line += Padded(text, style.Paint(cells[c].color, text), width, columns_[c].align);
  }
  TrimRight(line);
  return line + '\n';
}

std::string Table::Render(const Style& style) const {
  std::vector<std::vector<std::string>> texts;
  texts.reserve(rows_.size());
  for (const auto& row : rows_) {
    std::vector<std::string>& clean = texts.emplace_back();
    for (const Cell& cell : row) clean.push_back(style.Clean(cell.text));
  }
  const Layout layout = Arrange(texts, style);

  const std::string heading = style.ShortenTail(heading_, layout.width[0] + kIndent);
  std::string out =
      Padded(heading, style.Paint(Color::kBold, heading), layout.width[0] + kIndent, Align::kLeft);
  for (size_t c = 1; c < columns_.size(); ++c) {
    if (layout.width[c] == 0) continue;
    const std::string title = style.Clean(columns_[c].title);
    out.append(kGap, ' ');
    out += Padded(title, style.Paint(Color::kDim, title), layout.width[c], columns_[c].align);
  }
  TrimRight(out);
  out += '\n';
  for (size_t r = 0; r < rows_.size(); ++r) out += Line(rows_[r], texts[r], layout, style);
  return out;
}

}  // namespace stepscope
