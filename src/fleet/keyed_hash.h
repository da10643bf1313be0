#pragma once

#include <string>
#include <string_view>

namespace stepscope::fleet {

// HMAC-SHA256 (RFC 2104, FIPS 180-4) of a name: the first 32 hex digits. Without the key nobody can
// tell which name it was, not even by trying names.
std::string KeyedHash(std::string_view key, std::string_view name);

}  // namespace stepscope::fleet
