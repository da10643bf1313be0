#include "tools/events/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "present/unicode.h"
#include "words/events.h"

namespace stepscope {
namespace {

constexpr SayFrom<kEventsTexts> Say;

constexpr std::array kColors{Color::kCyan,    Color::kYellow, Color::kGreen,
                             Color::kMagenta, Color::kRed,    Color::kBlue};
constexpr std::string_view kLetters = "*o+x#@%&";

struct Range {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;

  void Cover(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // A range of one value gets some room on both sides.
  void Widen() {
    if (high > low) return;
    const double room = low == 0 ? 1 : std::fabs(low) / 2;
    low -= room;
    high += room;
  }
  double Share(double value) const { return (value - low) / (high - low); }
};

// Dots in cells; a cell remembers the series that drew last in it.
class Canvas {
 public:
  Canvas(size_t columns, size_t rows, bool ascii)
      : columns_(columns),
        rows_(rows),
        dots_x_(ascii ? 1 : 2),
        dots_y_(ascii ? 1 : 4),
        cells_(columns * rows) {}

  size_t width() const { return columns_ * dots_x_; }
  size_t height() const { return rows_ * dots_y_; }
  void Dot(size_t x, size_t y, size_t series) {
    constexpr uint8_t kBit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell& cell = cells_[y / dots_y_ * columns_ + x / dots_x_];
    cell.dots |= kBit[y % dots_y_][x % dots_x_];
    cell.series = series;
  }
  void Line(double x0, double y0, double x1, double y1, size_t series) {
    const double steps = std::max({std::fabs(x1 - x0), std::fabs(y1 - y0), 1.0});
    for (double i = 0; i <= steps; ++i) {
      Dot(static_cast<size_t>(std::lround(x0 + (x1 - x0) * i / steps)),
          static_cast<size_t>(std::lround(y0 + (y1 - y0) * i / steps)), series);
    }
  }
  std::string Row(size_t row, const Style& style) const {
    std::string line;
    for (size_t column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[row * columns_ + column];
      if (cell.dots == 0) {
        line += ' ';
      } else if (style.ascii) {
        line += kLetters[cell.series % kLetters.size()];
      } else {
        const char braille[] = {'\xe2', static_cast<char>(0xa0 | (cell.dots >> 6)),
                                static_cast<char>(0x80 | (cell.dots & 0x3f)), 0};
        line += style.Paint(kColors[cell.series % kColors.size()], braille);
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

 private:
  struct Cell {
    uint8_t dots = 0;
    size_t series = 0;
  };
  size_t columns_, rows_, dots_x_, dots_y_;
  std::vector<Cell> cells_;
};

void Draw(const PlotSeries& series, size_t index, const Range& x, const Range& y, Canvas& canvas) {
  bool connected = false;
  double last_x = 0;
  double last_y = 0;
  for (const PlotSeries::Point& point : series.points) {
    if (!std::isfinite(point.y)) {
      connected = false;
      continue;
    }
    const double at_x = x.Share(point.x) * static_cast<double>(canvas.width() - 1);
    const double at_y = (1 - y.Share(point.y)) * static_cast<double>(canvas.height() - 1);
    canvas.Line(connected ? last_x : at_x, connected ? last_y : at_y, at_x, at_y, index);
    last_x = at_x;
    last_y = at_y;
    connected = true;
  }
}

std::string Number(double value) { return fmt::format("{:.4g}", value); }

std::string XAxis(const Range& x, const std::string& name, size_t margin, size_t columns) {
  const std::string left = Number(x.low);
  const std::string right = Number(x.high);
  std::string line(margin + columns, ' ');
  const size_t name_at = margin + (columns - std::min(columns, name.size())) / 2;
  line.replace(margin, left.size(), left);
  line.replace(name_at, name.size(), name);
  const size_t right_at = margin + columns - std::min(columns, right.size());
  line.replace(right_at, right.size(), right);
  return line + "\n";
}

std::string Legend(const std::vector<PlotSeries>& series, const Style& style) {
  std::string out;
  for (size_t i = 0; i < series.size(); ++i) {
    const auto lost = std::ranges::count_if(
        series[i].points, [](const PlotSeries::Point& p) { return !std::isfinite(p.y); });
    const std::string mark = style.ascii ? std::string(1, kLetters[i % kLetters.size()]) : "━━";
    out += fmt::format("  {} {}{}\n", style.Paint(kColors[i % kColors.size()], mark),
                       style.Clean(series[i].name),
                       lost > 0 ? "  " + style.Say(Say("events.not-finite", lost)) : "");
  }
  return out;
}

}  // namespace

std::string RenderPlot(const std::string& title, const std::string& x_name,
                       const std::vector<PlotSeries>& series, const PlotSize& size,
                       const Style& style) {
  Range x;
  Range y;
  for (const PlotSeries& one : series) {
    for (const PlotSeries::Point& point : one.points) {
      if (!std::isfinite(point.y)) continue;
      x.Cover(point.x);
      y.Cover(point.y);
    }
  }
  std::string out = style.Paint(Color::kBold, style.Clean(title)) + "\n";
  if (x.low > x.high) {
    return out + "  " + style.Say(Say("events.no-finite")) + "\n" + Legend(series, style);
  }
  x.Widen();
  y.Widen();
  constexpr size_t kMargin = 12;
  const size_t width = size.columns == 0 ? style.width : size.columns;
  const size_t columns = std::max<size_t>(width, kMargin + 30) - kMargin - 1;
  Canvas canvas(columns, size.rows, style.ascii);
  for (size_t i = 0; i < series.size(); ++i) Draw(series[i], i, x, y, canvas);
  const size_t last = size.rows - 1;
  for (size_t row = 0; row < size.rows; ++row) {
    const bool labelled = row == 0 || row == last || row == last / 2 || row % 5 == 0;
    const double value =
        y.high - (y.high - y.low) * static_cast<double>(row) / static_cast<double>(last);
    const char* axis = style.ascii ? (labelled ? "+" : "|") : (labelled ? "┤" : "│");
    out += fmt::format("{:>{}} {}{}\n", labelled ? Number(value) : "", kMargin - 2, axis,
                       canvas.Row(row, style));
  }
  std::string base = style.ascii ? "+" : "└";
  for (size_t i = 0; i < columns; ++i) base += style.ascii ? "-" : "─";
  out += std::string(kMargin - 1, ' ') + base + "\n";
  return out + XAxis(x, x_name, kMargin, columns) + Legend(series, style);
}

}  // namespace stepscope
