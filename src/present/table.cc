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

// The last column of that kind that is still shown, or the number of columns.
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

Table::Layout Table::Arrange(const std::vector<std::vector<std::string>>& texts,
                             const Style& style) const {
  std::vector<size_t> natural(columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) {
    natural[c] = DisplayWidth(style.Clean(columns_[c].title));
    for (const auto& row : texts) natural[c] = std::max(natural[c], DisplayWidth(row[c]));
  }
  const size_t heading = DisplayWidth(style.Clean(heading_));
  natural[0] = std::max({natural[0], min_first_width_, heading > kIndent ? heading - kIndent : 0});

  std::vector<size_t> width(columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) width[c] = Least(columns_[c], natural[c]);
  for (const Fit fit : {Fit::kDrop, Fit::kBar, Fit::kShorten}) {
    for (size_t c = 0; Total(width) > style.width; width[c] = 0) {
      c = LastShown(columns_, width, fit);
      if (c == 0 || c == columns_.size()) break;
    }
  }
  // What is left goes to the shortened columns evenly, then to the bar.
  size_t spare = style.width - std::min(style.width, Total(width));
  for (bool gave = true; spare > 0 && gave;) {
    gave = false;
    for (size_t c = 0; c < columns_.size() && spare > 0; ++c) {
      if (columns_[c].fit != Fit::kShorten || width[c] == 0 || width[c] >= natural[c]) continue;
      ++width[c];
      --spare;
      gave = true;
    }
  }
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].fit != Fit::kBar || width[c] == 0) continue;
    const size_t more = std::min(spare, kMaxBar - kMinBar);
    width[c] += more;
    spare -= more;
  }
  return {std::move(width)};
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
