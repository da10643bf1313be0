#include "read/protobuf/message_file.h"

#include "read/protobuf/text_encoder.h"

namespace stepscope {

Result<MessageBytes> WireBytesOf(const FileBytes& file, const MessageDescriptor& message,
                                 const std::string& path, Diagnostics& diagnostics) {
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
  if (file.damaged()) {
    diagnostics.Add(Diagnostic::kGzipDamaged, 1, file.damage()->offset, file.damage()->sentence);
  }
  if (bytes.empty() || !LooksLikeText(bytes)) {
    return MessageBytes{bytes, std::make_shared<FileBytes>(file)};
  }
  Result<std::string> encoded = EncodeTextMessage(bytes, message, path, diagnostics);
  if (!encoded) return std::unexpected(std::move(encoded.error()));
  auto owner = std::make_shared<const std::string>(std::move(*encoded));
  return MessageBytes{*owner, owner};
}

}  // namespace stepscope
