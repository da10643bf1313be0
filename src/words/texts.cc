#include "words/text.h"

#include <array>
#include <string_view>
#include <unordered_map>

#include "base/texts.h"
#include "words/advice.h"
#include "words/capture.h"
#include "words/cli.h"
#include "words/command.h"
#include "words/communication.h"
#include "words/compile.h"
#include "words/copy.h"
#include "words/counter.h"
#include "words/cpu.h"
#include "words/data.h"
#include "words/diff.h"
#include "words/doctor.h"
#include "words/events.h"
#include "words/feed.h"
#include "words/fleet.h"
#include "words/fusion.h"
#include "words/graph.h"
#include "words/host.h"
#include "words/input.h"
#include "words/io.h"
#include "words/kernel.h"
#include "words/labels.h"
#include "words/lint.h"
#include "words/loss.h"
#include "words/memory.h"
#include "words/nan.h"
#include "words/other.h"
#include "words/python.h"
#include "words/quality.h"
#include "words/query.h"
#include "words/ranks.h"
#include "words/read.h"
#include "words/record.h"
#include "words/recorded.h"
#include "words/report.h"
#include "words/scale.h"
#include "words/serve.h"
#include "words/settings.h"
#include "words/snapshot.h"
#include "words/ssh.h"
#include "words/system.h"
#include "words/tools.h"
#include "words/trust.h"
#include "words/tune.h"

namespace stepscope {

std::span<const std::span<const Text>> AllTexts() {
  static constexpr std::array kTables = std::to_array<std::span<const Text>>(
      {kBaseTexts,    kSystemTexts,   kIoTexts,       kReadTexts,
       kQualityTexts, kCommandTexts,  kDoctorTexts,   kPythonTexts,
       kToolsTexts,   kSettingsTexts, kCliTexts,      kServeTexts,
       kRecordTexts,  kCaptureTexts,  kAdviceTexts,   kLabelTexts,
       kReportTexts,  kTrustTexts,    kInputTexts,    kFeedTexts,
       kHostTexts,    kCopyTexts,     kKernelTexts,   kFusionTexts,
       kCompileTexts, kCpuTexts,      kMemoryTexts,   kCommunicationTexts,
       kScaleTexts,   kOtherTexts,    kLintTexts,     kDiffTexts,
       kRanksTexts,   kQueryTexts,    kExportTexts,   kFleetTexts,
       kSshTexts,     kTuneTexts,     kRecordedTexts, kCounterTexts,
       kNanTexts,     kEventsTexts,   kDataTexts,     kSnapshotTexts,
       kGraphTexts,   kLossTexts});
  return kTables;
}

const Text* FindText(std::string_view id) {
  static const auto* const kIndex = [] {
    auto* index = new std::unordered_map<std::string_view, const Text*>;
    for (const std::span<const Text> table : AllTexts()) {
      for (const Text& text : table) index->emplace(text.id, &text);
    }
    return index;
  }();
  const auto at = kIndex->find(id);
  return at == kIndex->end() ? nullptr : at->second;
}

}  // namespace stepscope
