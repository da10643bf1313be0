#pragma once

#include <string>
#include <vector>

#include "present/style.h"

namespace stepscope {

struct PlotSeries {
  std::string name;
  struct Point {
    double x, y;
  };
  std::vector<Point> points;  // by x; points that are not finite leave a gap and are counted
};

struct PlotSize {
  size_t columns = 0;  // of the whole chart; 0: the style's width
  size_t rows = 16;    // of the drawing
};

// A line chart with axes and a legend. Curves are drawn in Braille dots (2 by 4 a character) and
// the colours of the style, or in letters where the style is ASCII.
std::string RenderPlot(const std::string& title, const std::string& x_name,
                       const std::vector<PlotSeries>& series, const PlotSize& size,
                       const Style& style);

}  // namespace stepscope
