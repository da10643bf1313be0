#include "read/graph_def/graph_def.h"

#include <algorithm>

#include "read/graph_def/graph_def_fields.h"
#include "read/protobuf/message_file.h"
#include "read/protobuf/text_encoder.h"
#include "read/protobuf/walk.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using namespace fields;

class Parser {
 public:
  Parser(std::string_view bytes, Diagnostics& diagnostics) : faults_(bytes, diagnostics) {}

  void Graph(std::string_view bytes, GraphDef& graph) {
    WalkMessage(bytes, "GraphDef", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kGraphNode:
          AddNode(r, graph.nodes);
          break;
        case kGraphLibrary:
          Library(r.Bytes(), graph);
          break;
        case kGraphVersion:
          graph.producer = std::max(graph.producer, r.Signed());
          break;
        case kGraphVersions:
          Versions(r.Bytes(), graph);
          break;
        default:
          break;
      }
    });
  }

  void MetaGraph(std::string_view bytes, GraphDef& graph) {
    WalkMessage(bytes, "MetaGraphDef", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kMetaInfo:
          MetaInfo(r.Bytes(), graph);
          break;
        case kMetaGraph:
          Graph(r.Bytes(), graph);
          break;
        case kMetaCollection:
          Collection(r.Bytes(), graph);
          break;
        default:
          break;
      }
    });
  }

  void SavedModel(std::string_view bytes, GraphDef& graph) {
    bool first = true;
    WalkMessage(bytes, "SavedModel", faults_, [&](const WireReader& r) {
      if (r.field() != kSavedModelMetaGraph || !first) return;
      first = false;
      MetaGraph(r.Bytes(), graph);
    });
  }

 private:
  void AddNode(const WireReader& r, std::vector<NodeDef>& nodes) {
    NodeDef node;
    if (Node(r.Bytes(), node) && !r.cut()) {
      nodes.push_back(std::move(node));
    } else {
      faults_.Dropped(r.Bytes(), "NodeDef " + std::string(node.name));
    }
  }

  bool Node(std::string_view bytes, NodeDef& node) {
    bool whole = true;
    const bool walked = WalkMessage(bytes, "NodeDef", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kNodeName:
          node.name = r.Bytes();
          break;
        case kNodeOp:
          node.op = r.Bytes();
          break;
        case kNodeInput:
          node.inputs.push_back(r.Bytes());
          break;
        case kNodeDevice:
          node.device = r.Bytes();
          break;
        case kNodeAttr:
          whole &= AddAttr(r.Bytes(), node.attrs);
          break;
        default:
          break;
      }
    });
    return walked && whole;
  }

  bool AddAttr(std::string_view bytes, std::vector<Attr>& attrs) {
    Attr attr;
    const bool walked = WalkMessage(bytes, "attr", faults_, [&](const WireReader& r) {
      if (r.field() == kKey) attr.name = r.Bytes();
      if (r.field() == kValue) attr.value = r.Bytes();
    });
    attrs.push_back(attr);
    return walked;
  }

  void Library(std::string_view bytes, GraphDef& graph) {
    WalkMessage(bytes, "FunctionDefLibrary", faults_, [&](const WireReader& r) {
      if (r.field() != kLibraryFunction) return;
      FunctionDef& function = graph.functions.emplace_back();
      WalkMessage(r.Bytes(), "FunctionDef", faults_, [&](const WireReader& f) {
        if (f.field() == kFunctionNode) AddNode(f, function.nodes);
        if (f.field() != kFunctionSignature) return;
        WalkMessage(f.Bytes(), "OpDef", faults_, [&](const WireReader& s) {
          if (s.field() == kOpDefName) function.name = s.Bytes();
        });
      });
    });
  }

  void Versions(std::string_view bytes, GraphDef& graph) {
    WalkMessage(bytes, "VersionDef", faults_, [&](const WireReader& r) {
      if (r.field() == kProducer) graph.producer = r.Signed();
    });
  }

  void MetaInfo(std::string_view bytes, GraphDef& graph) {
    WalkMessage(bytes, "MetaInfoDef", faults_, [&](const WireReader& r) {
      if (r.field() == kMetaInfoTensorflowVersion) graph.tensorflow_version = r.Bytes();
    });
  }

  void Collection(std::string_view bytes, GraphDef& graph) {
    std::string_view key;
    std::string_view value;
    WalkMessage(bytes, "collection_def", faults_, [&](const WireReader& r) {
      if (r.field() == kKey) key = r.Bytes();
      if (r.field() == kValue) value = r.Bytes();
    });
    const bool trainable = key == "trainable_variables";
    if (!trainable && key != "variables" && key != "local_variables") return;
    graph.has_collections = true;
    WalkMessage(value, "CollectionDef", faults_, [&](const WireReader& r) {
      if (r.field() != kCollectionBytes) return;
      WalkMessage(r.Bytes(), "BytesList", faults_, [&](const WireReader& item) {
        if (item.field() == kListValue) AddVariable(item.Bytes(), trainable, graph);
      });
    });
  }

  void AddVariable(std::string_view bytes, bool trainable, GraphDef& graph) {
    VariableDef variable{{}, trainable};
    WalkMessage(bytes, "VariableDef", faults_, [&](const WireReader& r) {
      if (r.field() == kVariableName) variable.name = r.Bytes();
      if (r.field() == kVariableTrainable) variable.trainable |= r.Bool();
    });
    variable.name = variable.name.substr(0, variable.name.find(':'));
    const auto known = std::find_if(graph.variables.begin(), graph.variables.end(),
                                    [&](const VariableDef& v) { return v.name == variable.name; });
    if (known == graph.variables.end()) {
      graph.variables.push_back(variable);
    } else {
      known->trainable |= variable.trainable;
    }
  }

  MessageFaults faults_;
};

enum class Wrapping : uint8_t { kGraph, kMetaGraph, kSavedModel };

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '>';
  });
}

// Whether the bytes read as a NodeDef: a name and an op that is a word.
bool LooksLikeNode(std::string_view bytes) {
  bool name = false;
  bool op = false;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == kNodeName) name = !r.Bytes().empty();
    if (r.field() == kNodeOp) op = IsIdentifier(r.Bytes());
  }
  return name && op;
}

Wrapping WrappingOf(std::string_view bytes) {
  WireReader r(bytes);
  if (!r.Next()) return Wrapping::kGraph;
  if (r.field() == kSavedModelVersion && r.type() == WireType::kVarint)
    return Wrapping::kSavedModel;
  if (r.field() == kGraphNode && LooksLikeNode(r.Bytes())) return Wrapping::kGraph;
  for (WireReader each(bytes); each.Next();) {
    if (each.field() != kMetaGraph && each.field() != kGraphNode) continue;
    // In a GraphDef, field 2 is the function library, whose entries are no nodes.
    for (WireReader inner(each.Bytes()); each.field() == kMetaGraph && inner.Next();) {
      if (inner.field() == kGraphNode) {
        return LooksLikeNode(inner.Bytes()) ? Wrapping::kMetaGraph : Wrapping::kGraph;
      }
    }
  }
  return Wrapping::kGraph;
}

// In text form, the first field names decide.
const MessageDescriptor& TextMessageOf(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const std::string_view head = text.substr(0, 4096);
  if (head.find("saved_model_schema_version") != std::string_view::npos || has("meta_graphs {")) {
    return kSavedModelMessage;
  }
  if (head.find("meta_info_def") != std::string_view::npos || has("graph_def {")) {
    return kMetaGraphDefMessage;
  }
  return kGraphDefMessage;
}

}  // namespace

GraphDef ParseGraphDefMessage(std::string_view bytes, Diagnostics& diagnostics) {
  GraphDef graph;
  Parser parser(bytes, diagnostics);
  switch (WrappingOf(bytes)) {
    case Wrapping::kGraph:
      parser.Graph(bytes, graph);
      break;
    case Wrapping::kMetaGraph:
      parser.MetaGraph(bytes, graph);
      break;
    case Wrapping::kSavedModel:
      parser.SavedModel(bytes, graph);
      break;
  }
  return graph;
}

Result<GraphDef> ParseGraphDef(const FileBytes& file, const std::string& path,
                               Diagnostics& diagnostics) {
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
  Result<MessageBytes> wire = WireBytesOf(file, TextMessageOf(bytes), path, diagnostics);
  if (!wire) return std::unexpected(std::move(wire.error()));
  GraphDef graph = ParseGraphDefMessage(wire->bytes, diagnostics);
  graph.owner = std::move(wire->owner);
  if (graph.nodes.empty() && graph.functions.empty() &&
      diagnostics.CountOf(Diagnostic::kMalformedProtobuf) > 0) {
    return Fail(ErrorCode::kDamaged, Say("read.not-graph"), path, Say("read.give-graph"));
  }
  return graph;
}

Result<GraphDef> ReadGraphDef(const std::string& path, Diagnostics& diagnostics) {
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return ParseGraphDef(*bytes, path, diagnostics);
}

}  // namespace stepscope
