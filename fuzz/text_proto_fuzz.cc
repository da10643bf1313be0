// Any text as a text protobuf: what it is turned into is a message that prints as text again.

#include <cstdint>

#include "read/graph_def/graph_def_fields.h"
#include "read/protobuf/text_encoder.h"
#include "read/protobuf/text_printer.h"
#include "read/run_metadata/run_metadata_fields.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const MessageDescriptor* message :
       {&fields::kGraphDefMessage, &fields::kRunMetadataMessage}) {
    Diagnostics diagnostics;
    const Result<std::string> wire = EncodeTextMessage(text, *message, "fuzz", diagnostics);
    if (wire) (void)PrintTextMessage(*wire, *message);
  }
  return 0;
}
