#include "read/chrome_json/format.h"

#include <algorithm>

#include "read/chrome_json/categories.h"

namespace stepscope::chrome_json {
namespace {

struct Votes {
  uint64_t kineto = 0;
  uint64_t onnxruntime = 0;
  uint64_t tensorflow = 0;
};

Votes CountVotes(std::span<const ParsedChunk> chunks) {
  Votes votes;
  for (const ParsedChunk& chunk : chunks) {
    for (const auto& [spelt, count] : chunk.complete_by_category) {
      switch (CategoryOf(spelt).dialect) {
        case Dialect::kNone:
          break;
        case Dialect::kKineto:
          votes.kineto += count;
          break;
        case Dialect::kOnnxRuntime:
          votes.onnxruntime += count;
          break;
        case Dialect::kTensorFlow:
          votes.tensorflow += count;
          break;
      }
    }
  }
  return votes;
}

void NoteWhatIsRecorded(std::span<const ParsedChunk> chunks, RunFacts& facts) {
  for (const ParsedChunk& chunk : chunks) {
    const EventBlock& block = chunk.block;
    const auto any_op = [&](StringId OpArgs::* member) {
      return std::any_of(block.op_args.begin(), block.op_args.end(),
                         [&](const OpArgs& args) { return args.*member != kEmptyString; });
    };
    facts.has_shapes = facts.has_shapes || any_op(&OpArgs::input_dims);
    facts.has_stacks = facts.has_stacks || !block.frame_args.empty() || any_op(&OpArgs::stack);
    facts.has_modules = facts.has_modules || std::find(block.kind.begin(), block.kind.end(),
                                                       Kind::kModuleFrame) != block.kind.end();
    facts.has_memory = facts.has_memory || !block.allocations.empty();
  }
}

}  // namespace

void TellFormat(std::span<const ParsedChunk> chunks, DocumentParts& parts) {
  const Votes votes = CountVotes(chunks);
  RunFacts& facts = parts.top.facts;
  if (votes.kineto > 0 || parts.top.kineto) {
    facts.format = Format::kKineto;
    facts.framework = "PyTorch";
  } else if (votes.onnxruntime > 0) {
    facts.format = Format::kOnnxRuntime;
    facts.framework = "ONNX Runtime";
  } else if (votes.tensorflow > 0) {
    facts.format = Format::kTensorFlowTimeline;
    facts.framework = "TensorFlow";
  } else {
    facts.format = Format::kChrome;
  }
  // A timeline of ours is read as what it was.
  if (!parts.top.own_framework.empty()) facts.framework = parts.top.own_framework;
  if (parts.top.own_format == NameOf(Format::kRunMetadata)) facts.format = Format::kRunMetadata;
  NoteWhatIsRecorded(chunks, facts);
}

}  // namespace stepscope::chrome_json
