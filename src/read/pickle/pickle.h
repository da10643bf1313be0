#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

// The plain data of a pickle: numbers, texts, lists, tuples and dicts. Nothing is ever run: every
// opcode that could make a Python object is an error with its offset. Values are handles into
// arenas, so what the file shares stays shared; a container may even hold itself, so walk with
// accessors, never recursively. 16 bytes a value, 4 an item. The bytes must outlive it.
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
  // Values in pieces that stay where they are: nothing is moved or touched twice as they grow.
  class Values {
   public:
    const Value& operator[](Handle at) const { return pieces_[at >> kBits][at & (kSize - 1)]; }
    size_t size() const { return size_; }
    void Push(const Value& value) {
      if ((size_ & (kSize - 1)) == 0)
        pieces_.push_back(std::make_unique_for_overwrite<Value[]>(kSize));
      pieces_.back()[size_++ & (kSize - 1)] = value;
    }

   private:
    static constexpr unsigned kBits = 14;
    static constexpr size_t kSize = size_t{1} << kBits;
    std::vector<std::unique_ptr<Value[]>> pieces_;
    size_t size_ = 0;
  };
  // A stretch of the items. What grows beyond its room moves.
  struct Container {
    Handle* first = nullptr;
    uint32_t size = 0;
    uint32_t room = 0;
  };
  static std::span<const Handle> ItemsOf(const Container& container) {
    return {container.first, container.size};
  }
  Handle* NewItems(size_t count);

  std::string_view bytes_;
  Values values_;
  std::deque<Container> containers_;
  std::vector<std::unique_ptr<Handle[]>> items_;
  Handle* next_item_ = nullptr;
  size_t items_left_ = 0;  // of the last piece
  Handle root_ = 0;
};

}  // namespace stepscope
