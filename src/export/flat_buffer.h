#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::exported {

// Builds a FlatBuffer from the back to the front, as the format wants it: what is referred to is
// there before what refers to it. Offsets count from the end.
class FlatBuffer {
 public:
  using Offset = uint32_t;

  Offset Text(std::string_view text) {
    Align(4, text.size() + 1 + 4);
    Put(std::string(1, '\0'));
    Put(std::string(text));
    return Number(static_cast<uint32_t>(text.size()));
  }
  // Structs or numbers that are laid out already.
  Offset Vector(std::string_view bytes, size_t count, size_t alignment) {
    Align(4, bytes.size() + 4);
    Align(alignment, bytes.size());
    Put(std::string(bytes));
    return Number(static_cast<uint32_t>(count));
  }
  Offset Offsets(const std::vector<Offset>& offsets) {
    Align(4, offsets.size() * 4 + 4);
    for (size_t i = offsets.size(); i-- > 0;) Refer(offsets[i]);
    return Number(static_cast<uint32_t>(offsets.size()));
  }

  void BeginTable(size_t slots) {
    fields_.assign(slots, 0);
    begin_ = Size();
  }
  template <typename T>
  void Scalar(size_t slot, T value) {
    Align(sizeof value, sizeof value);
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    Put(bytes);
    fields_[slot] = Size();
  }
  void Field(size_t slot, Offset offset) {
    Align(4, 4);
    Refer(offset);
    fields_[slot] = Size();
  }
  Offset EndTable() {
    Align(4, 4);
    const Offset table = Number(0);  // the distance to the vtable, below
    std::string vtable;
    const auto half = [&](uint32_t value) {
      const auto small = static_cast<uint16_t>(value);
      vtable.append(reinterpret_cast<const char*>(&small), sizeof small);
    };
    half(static_cast<uint32_t>(4 + 2 * fields_.size()));
    half(table - begin_);
    for (const Offset field : fields_) half(field == 0 ? 0 : table - field);
    Put(vtable);
    // The vtable stands before the table: a positive distance.
    const auto distance = static_cast<int32_t>(Size() - table);
    patches_.push_back({table, distance});
    return table;
  }
  // The whole buffer, a multiple of 8 bytes.
  std::string Finish(Offset root) {
    Align(8, 4);
    Refer(root);
    std::string out(pieces_.rbegin(), pieces_.rend());
    for (const auto& [table, distance] : patches_) {
      std::memcpy(&out[out.size() - table], &distance, sizeof distance);
    }
    return out;
  }

 private:
  Offset Size() const { return static_cast<Offset>(pieces_.size()); }
  // After so many bytes the end is aligned.
  void Align(size_t to, size_t after) {
    while ((pieces_.size() + after) % to != 0) pieces_ += '\0';
  }
  void Put(const std::string& bytes) { pieces_.append(bytes.rbegin(), bytes.rend()); }
  Offset Number(uint32_t value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    Put(bytes);
    return Size();
  }
  void Refer(Offset offset) { Number(Size() + 4 - offset); }

  std::string pieces_;  // backwards
  std::vector<Offset> fields_;
  Offset begin_ = 0;
  struct Patch {
    Offset table;
    int32_t distance;
  };
  std::vector<Patch> patches_;
};

}  // namespace stepscope::exported
