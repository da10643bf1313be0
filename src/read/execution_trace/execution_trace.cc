#include "read/execution_trace/execution_trace.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/byte_source.h"
#include "read/chrome_json/json_value.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using chrome_json::JsonWalk;
using Node = ExecutionTrace::Node;
using Tensor = ExecutionTrace::Tensor;
using Values = ExecutionTrace::Values;

template <typename Number>
Number NumberOf(std::string_view digits, Number otherwise) {
  Number number = otherwise;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::string WithoutSpace(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    quoted ^= c == '"';
    if (quoted || static_cast<unsigned char>(c) > ' ') out += c;
  }
  return out;
}

// "Tensor(float)" is "float" in a profile, "Int" is "Scalar".
std::string ProfileType(std::string_view type) {
  constexpr std::string_view kTensor = "Tensor(";
  constexpr std::string_view kList = "GenericList[";
  if (type.starts_with(kTensor) && type.ends_with(')')) {
    return std::string(type.substr(kTensor.size(), type.size() - kTensor.size() - 1));
  }
  if (type.starts_with(kList)) {
    return type.substr(kList.size()).starts_with(kTensor) ? "TensorList" : "ScalarList";
  }
  const bool scalar = type == "Int" || type == "Double" || type == "Bool";
  return scalar ? "Scalar" : "";
}

std::string ProfileTypes(std::string_view list) {
  std::string out = "[";
  for (JsonWalk type(list); type.Next();) {
    if (out.size() > 1) out += ',';
    out += '"' + ProfileType(type.scalar()) + '"';
  }
  return out + ']';
}

// A profile has no shapes of the numbers in a list.
std::string ProfileDims(std::string_view shapes, std::string_view types) {
  std::string out = "[";
  JsonWalk type(types);
  for (JsonWalk shape(shapes); shape.Next();) {
    const bool numbers = type.Next() && ProfileType(type.scalar()) == "ScalarList";
    if (out.size() > 1) out += ',';
    out += numbers ? "[]" : WithoutSpace(shape.value());
  }
  return out + ']';
}

// [tensor, storage, offset, elements, bytes of one, "cuda:0"].
bool ReadTensor(std::string_view value, Tensor& tensor) {
  int64_t elements = 0, size = 0;
  int place = 0;
  for (JsonWalk item(value); item.Next(); ++place) {
    switch (place) {
      case 0:
        tensor.id = NumberOf<uint64_t>(item.scalar(), 0);
        break;
      case 1:
        tensor.storage = NumberOf<uint64_t>(item.scalar(), 0);
        break;
      case 3:
        elements = NumberOf<int64_t>(item.scalar(), 0);
        break;
      case 4:
        size = NumberOf<int64_t>(item.scalar(), 0);
        break;
      case 5:
        if (!item.value().starts_with('"')) return false;
        tensor.device = item.String();
        break;
      default:
        break;
    }
  }
  if (place != 6 || __builtin_mul_overflow(elements, size, &tensor.bytes)) return false;
  return true;
}

// Tensors stand alone or in lists, as the types say.
void AddTensors(std::string_view values, std::string_view types, std::vector<Tensor>& out) {
  JsonWalk type(types);
  for (JsonWalk value(values); value.Next();) {
    const bool typed = type.Next();
    const std::string_view spelt = typed ? type.scalar() : std::string_view();
    if (spelt.starts_with("Tensor(")) {
      Tensor tensor;
      if (ReadTensor(value.value(), tensor)) out.push_back(std::move(tensor));
    } else if (spelt.starts_with("GenericList[Tensor(")) {
      for (JsonWalk item(value.value()); item.Next();) {
        Tensor tensor;
        if (ReadTensor(item.value(), tensor)) out.push_back(std::move(tensor));
      }
    }
  }
}

// The three lists of a node's inputs or outputs, whichever way the schema places them.
struct Lists {
  std::string_view values, shapes, types;

  Values Read() const {
    Values out;
    out.values = WithoutSpace(values);
    if (!shapes.empty()) out.dims = ProfileDims(shapes, types);
    if (!types.empty()) out.types = ProfileTypes(types);
    AddTensors(values, types, out.tensors);
    return out;
  }
  void Take(std::string_view object) {
    for (JsonWalk member(object); member.Next();) {
      if (member.Is("values")) values = member.value();
      if (member.Is("shapes")) shapes = member.value();
      if (member.Is("types")) types = member.value();
    }
  }
};

void ReadAttributes(std::string_view list, Node& node) {
  for (JsonWalk attribute(list); attribute.Next();) {
    std::string_view name;
    std::string value;
    for (JsonWalk member(attribute.value()); member.Next();) {
      if (member.Is("name")) name = member.scalar();
      const bool wanted = name == "rf_id" || name == "op_schema";
      if (wanted && member.Is("value")) value = member.String();
    }
    if (name == "rf_id") node.record_function = NumberOf<uint64_t>(value, 0);
    if (name == "op_schema") node.schema = std::move(value);
  }
}

bool ReadNode(std::string_view text, Node& node) {
  Lists inputs, outputs;
  bool has_id = false;
  for (JsonWalk member(text); member.Next();) {
    const bool object = member.value().starts_with('{');
    if (member.Is("id")) {
      node.id = NumberOf<uint64_t>(member.scalar(), 0);
      has_id = true;
    } else if (member.Is("name")) {
      node.name = member.String();
    } else if (member.Is("ctrl_deps") || member.Is("parent")) {
      node.parent = NumberOf<uint64_t>(member.scalar(), 0);
    } else if (member.Is("rf_id")) {
      node.record_function = NumberOf<uint64_t>(member.scalar(), 0);
    } else if (member.Is("op_schema")) {
      node.schema = member.String();
    } else if (member.Is("attrs")) {
      ReadAttributes(member.value(), node);
    } else if (member.Is("inputs")) {
      object ? inputs.Take(member.value()) : void(inputs.values = member.value());
    } else if (member.Is("outputs")) {
      object ? outputs.Take(member.value()) : void(outputs.values = member.value());
    } else if (member.Is("input_shapes")) {
      inputs.shapes = member.value();
    } else if (member.Is("input_types")) {
      inputs.types = member.value();
    } else if (member.Is("output_shapes")) {
      outputs.shapes = member.value();
    } else if (member.Is("output_types")) {
      outputs.types = member.value();
    }
  }
  node.inputs = inputs.Read();
  node.outputs = outputs.Read();
  return has_id;
}

// The list of nodes; of a file that was cut, as far as it goes.
std::string_view NodesIn(std::string_view text, ExecutionTrace& into) {
  for (JsonWalk member(text); member.Next();) {
    if (member.Is("pid")) into.pid = NumberOf<int64_t>(member.scalar(), -1);
    if (member.Is("nodes")) return member.value();
  }
  into.cut = true;
  const size_t key = text.find("\"nodes\"");
  const size_t open = key == text.npos ? key : text.find('[', key);
  return open == text.npos ? std::string_view() : text.substr(open);
}

}  // namespace

Result<ExecutionTrace> ParseExecutionTrace(std::string_view text, const std::string& path) {
  ExecutionTrace trace;
  for (JsonWalk item(NodesIn(text, trace)); item.Next();) {
    Node node;
    if (ReadNode(item.value(), node)) trace.nodes.push_back(std::move(node));
  }
  if (trace.nodes.empty()) {
    return Fail(ErrorCode::kDamaged, Say("read.execution-empty"), path, Say("read.give-execution"));
  }
  return trace;
}

Result<ExecutionTrace> ReadExecutionTrace(const std::string& path) {
  const Result<FileBytes> bytes = ReadWhole(path, uint64_t{1} << 36);
  if (!bytes) return std::unexpected(bytes.error());
  Result<ExecutionTrace> trace =
      ParseExecutionTrace({bytes->bytes().data(), bytes->bytes().size()}, path);
  if (trace && bytes->damaged()) trace->cut = true;
  return trace;
}

}  // namespace stepscope
