#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tools/tfprof/model.h"
#include "tools/tfprof/options.h"
#include "tools/tfprof/view.h"

// What TensorFlow's profiler prints, letter by letter.
namespace stepscope::tfprof {

// The value of a checkpoint's variable as text, for -select tensor_value; nothing where there is
// none of that name.
using TensorText = std::function<std::optional<std::string>(std::string_view name)>;

// "\nDoc:\n…" with the missing-stream paragraph before it where that applies, up to "Profile:\n".
std::string DocText(ViewKind kind, const Options& options, bool misses_accelerator_stream);
// Legend and rows.
std::string ViewText(const Model& model, const View& view, const Options& options,
                     const TensorText& tensor_text);
// The frame of -output=stdout.
std::string OptionsFrame(const Options& options);
std::string EndFrame();

}  // namespace stepscope::tfprof
