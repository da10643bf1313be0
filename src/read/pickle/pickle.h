#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

// The plain data of a pickle: numbers, texts, lists, tuples and dicts. Nothing is ever run: every
// opcode that could make a Python object is an error with its offset. Values are handles into
// arenas, so what the file shares stays shared; a container may even hold itself, so walk with
// accessors, never recursively. 16 bytes a value. The bytes must outlive it.
class Pickle {
 public:
  enum class Type : uint8_t { kNone, kBool, kInteger, kReal, kText, kList, kDict, kListBuilder };
  using Handle = uint32_t;

  static Result<Pickle> Parse(std::string_view bytes, const std::string& path);

  Handle root() const { return root_; }
  Type TypeOf(Handle value) const { return values_[value].type; }
  bool IsNone(Handle value) const { return TypeOf(value) == Type::kNone; }
  // 0, empty or none where the value is of another type.
  int64_t Integer(Handle value) const;
  double Real(Handle value) const;
  std::string_view Text(Handle value) const;
  std::span<const Handle> Items(Handle list) const;  // a tuple is a list
  // Keys and values in turn.
  std::span<const Handle> Members(Handle dict) const;
  // The handle of None where there is no such key.
  Handle Get(Handle dict, std::string_view key) const;
  size_t size() const { return values_.size(); }

 private:
  friend class PickleParser;
  struct Value {
    Type type = Type::kNone;
    uint32_t size = 0;
    uint64_t bits = 0;  // a number, an offset into the bytes, an index of containers_
  };

  std::string_view bytes_;
  std::vector<Value> values_;
  std::vector<std::vector<Handle>> containers_;
  Handle root_ = 0;
};

}  // namespace stepscope
