#include "read/chrome_json/ort_shapes.h"

#include <algorithm>

namespace stepscope::chrome_json {
namespace {

// Calls take(type, shape) for each {"type":[shape]}; what does not look like one ends the walk.
template <typename Take>
void ForEachInput(std::string_view json, Take take) {
  while (true) {
    const size_t open = json.find('"');
    if (open == std::string_view::npos) return;
    const size_t close = json.find('"', open + 1);
    if (close == std::string_view::npos) return;
    const size_t first = json.find('[', close);
    const size_t last = json.find(']', close);
    if (first == std::string_view::npos || last == std::string_view::npos || last < first) return;
    take(json.substr(open + 1, close - open - 1), json.substr(first, last - first + 1));
    json.remove_prefix(last + 1);
  }
}

}  // namespace

void AppendOrtShapes(std::string_view json, std::string& out) {
  out += '[';
  ForEachInput(json, [&](std::string_view, std::string_view shape) {
    if (out.back() != '[') out += ',';
    std::copy_if(shape.begin(), shape.end(), std::back_inserter(out),
                 [](char c) { return static_cast<unsigned char>(c) > ' '; });
  });
  out += ']';
}

void AppendOrtTypes(std::string_view json, std::string& out) {
  out += '[';
  ForEachInput(json, [&](std::string_view type, std::string_view) {
    if (out.back() != '[') out += ',';
    out += '"';
    out += type;
    out += '"';
  });
  out += ']';
}

}  // namespace stepscope::chrome_json
