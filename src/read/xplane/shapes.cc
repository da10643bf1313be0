#include "read/xplane/shapes.h"

namespace stepscope::xplane {

TensorShapes ParseTensorShapes(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return {};
  text = text.substr(1, text.size() - 2);
  TensorShapes shapes{"[", "["};
  while (true) {
    const size_t semicolon = text.find(';');
    const std::string_view one = text.substr(0, semicolon);
    const size_t bracket = one.find('[');
    if (shapes.dims.size() > 1) {
      shapes.dims += ',';
      shapes.types += ',';
    }
    const bool shaped = bracket != std::string_view::npos && one.back() == ']';
    shapes.dims += shaped ? one.substr(bracket) : "[]";
    shapes.types += '"';
    shapes.types += one.substr(0, bracket);
    shapes.types += '"';
    if (semicolon == std::string_view::npos) break;
    text.remove_prefix(semicolon + 1);
  }
  shapes.dims += ']';
  shapes.types += ']';
  return shapes;
}

}  // namespace stepscope::xplane
