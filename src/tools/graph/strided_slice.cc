#include "tools/graph/strided_slice.h"

#include <algorithm>

namespace stepscope::shapes {
namespace {

struct Spec {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> stride;
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_mask = 0;

  static bool Bit(int64_t mask, size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }
};

std::optional<Spec> SpecOf(const Context& context, uint32_t node) {
  const auto begin = context.InputValues(node, 1);
  const auto end = context.InputValues(node, 2);
  const auto stride = context.InputValues(node, 3);
  if (!begin || !end || !stride || begin->elements.size() != end->elements.size() ||
      begin->elements.size() != stride->elements.size()) {
    return std::nullopt;
  }
  const NodeDef& def = context.node(node);
  const auto mask = [&](std::string_view name) { return def.Integer(name).value_or(0); };
  Spec spec{begin->elements,       end->elements,           stride->elements,
            mask("begin_mask"),    mask("end_mask"),        mask("ellipsis_mask"),
            mask("new_axis_mask"), mask("shrink_axis_mask")};
  const bool zero = std::find(spec.stride.begin(), spec.stride.end(), 0) != spec.stride.end();
  return zero ? std::nullopt : std::optional(spec);
}

// The range in a dimension of known size.
SliceRange RangeOf(const Spec& spec, size_t i, int64_t size) {
  SliceRange range;
  range.stride = spec.stride[i];
  range.shrink = Spec::Bit(spec.shrink_mask, i);
  if (range.shrink) {
    range.begin = spec.begin[i] < 0 ? spec.begin[i] + size : spec.begin[i];
    range.end = range.begin + 1;
    range.stride = 1;
    return range;
  }
  const bool forward = range.stride > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? size : size - 1;
  const auto clamp = [&](int64_t value) {
    return std::clamp(value < 0 ? value + size : value, low, high);
  };
  range.begin = Spec::Bit(spec.begin_mask, i) ? (forward ? low : high) : clamp(spec.begin[i]);
  range.end = Spec::Bit(spec.end_mask, i) ? (forward ? high : low) : clamp(spec.end[i]);
  return range;
}

int64_t LengthOf(const SliceRange& range) {
  const int64_t distance = range.end - range.begin;
  if (distance == 0 || (distance < 0) != (range.stride < 0)) return 0;
  return distance / range.stride + (distance % range.stride != 0 ? 1 : 0);
}

}  // namespace

std::optional<SliceRange> VectorSlice(const Context& context, uint32_t node, size_t size) {
  const std::optional<Spec> spec = SpecOf(context, node);
  if (!spec || spec->begin.size() != 1 || spec->ellipsis_mask != 0 || spec->new_axis_mask != 0) {
    return std::nullopt;
  }
  const SliceRange range = RangeOf(*spec, 0, static_cast<int64_t>(size));
  const auto limit = static_cast<int64_t>(size);
  if (range.shrink && (range.begin < 0 || range.begin >= limit)) return std::nullopt;
  return range;
}

TensorShape StridedSliceShape(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const std::optional<Spec> spec = SpecOf(context, node);
  if (input.unknown_rank || !spec) return UnknownRank();
  const size_t count = spec->begin.size();
  size_t used = 0;  // dimensions of the input that the spec names
  bool ellipsis = false;
  for (size_t i = 0; i < count; ++i) {
    if (Spec::Bit(spec->ellipsis_mask, i)) {
      ellipsis = true;
    } else if (!Spec::Bit(spec->new_axis_mask, i)) {
      ++used;
    }
  }
  if (used > input.dims.size()) return UnknownRank();
  const size_t rest = input.dims.size() - used;
  TensorShape out;
  size_t dim = 0;
  for (size_t i = 0; i < count; ++i) {
    if (Spec::Bit(spec->ellipsis_mask, i)) {
      for (size_t j = 0; j < rest; ++j) out.dims.push_back(input.dims[dim++]);
      continue;
    }
    if (Spec::Bit(spec->new_axis_mask, i)) {
      out.dims.push_back(1);
      continue;
    }
    const int64_t size = input.dims[dim++];
    if (Spec::Bit(spec->shrink_mask, i)) continue;
    const bool whole = Spec::Bit(spec->begin_mask, i) && Spec::Bit(spec->end_mask, i);
    if (size != kUnknown) {
      out.dims.push_back(LengthOf(RangeOf(*spec, i, size)));
    } else {
      out.dims.push_back(whole && spec->stride[i] == 1 ? size : kUnknown);
    }
  }
  if (!ellipsis)
    out.dims.insert(out.dims.end(), input.dims.begin() + static_cast<ptrdiff_t>(dim),
                    input.dims.end());
  return out;
}

}  // namespace stepscope::shapes
