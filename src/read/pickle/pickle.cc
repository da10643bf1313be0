#include "read/pickle/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

}  // namespace

int64_t Pickle::Integer(Handle value) const {
  const Value& of = values_[value];
  return of.type == Type::kInteger || of.type == Type::kBool ? static_cast<int64_t>(of.bits) : 0;
}

double Pickle::Real(Handle value) const {
  const Value& of = values_[value];
  if (of.type == Type::kReal) return std::bit_cast<double>(of.bits);
  return static_cast<double>(Integer(value));
}

std::string_view Pickle::Text(Handle value) const {
  const Value& of = values_[value];
  return of.type == Type::kText ? bytes_.substr(of.bits, of.size) : std::string_view();
}

std::span<const Pickle::Handle> Pickle::Items(Handle list) const {
  const Value& of = values_[list];
  return of.type == Type::kList ? ItemsOf(containers_[of.bits]) : std::span<const Handle>();
}

std::span<const Pickle::Handle> Pickle::Members(Handle dict) const {
  const Value& of = values_[dict];
  return of.type == Type::kDict ? ItemsOf(containers_[of.bits]) : std::span<const Handle>();
}

Pickle::Handle Pickle::Get(Handle dict, std::string_view key) const {
  const std::span<const Handle> members = Members(dict);
  for (size_t i = 0; i + 1 < members.size(); i += 2) {
    if (Text(members[i]) == key) return members[i + 1];
  }
  return 0;  // value 0 is None
}

Pickle::Handle* Pickle::NewItems(size_t count) {
  constexpr size_t kPiece = size_t{1} << 18;
  if (count > items_left_) {
    items_left_ = std::max(count, kPiece);
    items_.push_back(std::make_unique_for_overwrite<Handle[]>(items_left_));
    next_item_ = items_.back().get();
  }
  items_left_ -= count;
  return std::exchange(next_item_, next_item_ + count);
}

class PickleParser {
 public:
  PickleParser(std::string_view bytes, std::string path) : path_(std::move(path)) {
    pickle_.bytes_ = bytes;
    pickle_.values_.Push({});
    for (uint64_t i = 0; i < kSmall; ++i) pickle_.values_.Push({Type::kInteger, 0, i});
  }

  Result<Pickle> Run() {
    while (!fault_ && !stopped_) Step();
    if (!fault_ && stack_.empty()) Fail(Say("read.pickle-no-value"));
    if (fault_) return std::unexpected(std::move(*fault_));
    pickle_.root_ = stack_.back();
    return std::move(pickle_);
  }

 private:
  using Handle = Pickle::Handle;
  using Type = Pickle::Type;
  // Small numbers are there once: their handles follow that of None.
  static constexpr uint64_t kSmall = 256;
  Handle Integer(int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    return bits < kSmall ? static_cast<Handle>(bits + 1) : New(Type::kInteger, bits);
  }
  static constexpr size_t kMostValues = std::numeric_limits<uint32_t>::max() - 1;

  void Fail(Message sentence) {
    if (fault_) return;
    fault_ = Error{ErrorCode::kDamaged, std::move(sentence), path_, opcode_at_,
                   Say("read.snapshot-again")};
  }
  template <typename T>
  T Fixed() {
    T value{};
    if (pickle_.bytes_.size() - at_ < sizeof value) {
      Fail(Say("read.pickle-cut"));
      return value;
    }
    std::memcpy(&value, pickle_.bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  Handle New(Type type, uint64_t bits, uint32_t size = 0) {
    if (pickle_.values_.size() >= kMostValues) {
      Fail(Say("read.pickle-many"));
      return 0;
    }
    pickle_.values_.Push({type, size, bits});
    return static_cast<Handle>(pickle_.values_.size() - 1);
  }
  void Push(Handle value) { stack_.push_back(value); }
  Handle Pop() {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor) {
      Fail(Say("read.pickle-takes"));
      return 0;
    }
    const Handle value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Handle Top() {
    if (!stack_.empty()) return stack_.back();
    Fail(Say("read.pickle-uses"));
    return 0;
  }
  void PushContainer(Type type) {
    pickle_.containers_.emplace_back();
    Push(New(type, pickle_.containers_.size() - 1));
  }
  void PushTuple(std::span<const Handle> items) {
    pickle_.containers_.emplace_back();
    Append(pickle_.containers_.back(), items);
    const Handle tuple = New(Type::kList, pickle_.containers_.size() - 1);
    stack_.resize(stack_.size() - items.size());
    Push(tuple);
  }
  void Append(Pickle::Container& to, std::span<const Handle> items) {
    const size_t size = to.size + items.size();
    if (size > std::numeric_limits<uint32_t>::max()) return Fail(Say("read.pickle-many"));
    if (size > to.room) {
      // A list that comes in pieces gets room for more; a dict comes as one.
      const size_t room = to.size == 0 ? size : std::min(size * 2, size_t{kMostValues});
      Handle* const first = pickle_.NewItems(room);
      std::copy_n(to.first, to.size, first);
      to.first = first;
      to.room = static_cast<uint32_t>(room);
    }
    std::ranges::copy(items, to.first + to.size);
    to.size = static_cast<uint32_t>(size);
  }
  void PushText(uint64_t size) {
    if (fault_) return;
    if (size > pickle_.bytes_.size() - at_ || size > std::numeric_limits<uint32_t>::max()) {
      return Fail(Say("read.pickle-text"));
    }
    Push(New(Type::kText, at_, static_cast<uint32_t>(size)));
    at_ += size;
  }
  // The values above the last mark, which goes; they stay on the stack.
  std::span<const Handle> AboveMark() {
    if (marks_.empty() || marks_.back() > stack_.size()) {
      Fail(Say("read.pickle-closes"));
      return {};
    }
    const size_t first = marks_.back();
    marks_.pop_back();
    return {stack_.data() + first, stack_.size() - first};
  }
  void PushTuple(size_t count) {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < floor + count) return Fail(Say("read.pickle-takes"));
    PushTuple(std::span<const Handle>(stack_).last(count));
  }
  // Adds the topmost values to the container under them and takes them off.
  void Extend(Type type, std::span<const Handle> items) {
    if (fault_) return;
    if (stack_.size() <= items.size()) return Fail(Say("read.pickle-uses"));
    const Handle top = stack_[stack_.size() - items.size() - 1];
    const Pickle::Value& into = pickle_.values_[top];
    if (into.type != type || (type == Type::kDict && items.size() % 2 != 0)) {
      return Fail(Say("read.pickle-adds"));
    }
    Append(pickle_.containers_[into.bits], items);
    stack_.resize(stack_.size() - items.size());
  }
  void ExtendByTop(Type type, size_t count) {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < floor + count) return Fail(Say("read.pickle-takes"));
    Extend(type, std::span<const Handle>(stack_).last(count));
  }
  void PushLong() {
    const uint8_t size = Fixed<uint8_t>();
    if (size > pickle_.bytes_.size() - at_) return Fail(Say("read.pickle-cut"));
    // Addresses of 2^63 and more take nine bytes, the last of them 0.
    if (size > 9 || (size == 9 && pickle_.bytes_[at_ + 8] != 0)) {
      return Fail(Say("read.pickle-bits"));
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size && i < 8; ++i) {
      value |= static_cast<uint64_t>(static_cast<unsigned char>(pickle_.bytes_[at_ + i])) << 8 * i;
    }
    if (size > 0 && size < 8 && (pickle_.bytes_[at_ + size - 1] & 0x80) != 0) {
      value |= ~uint64_t{0} << 8 * size;
    }
    at_ += size;
    Push(Integer(static_cast<int64_t>(value)));
  }
  void Put(uint64_t index) {
    constexpr uint64_t kFarthest = uint64_t{1} << 28;
    if (index >= memo_.size()) {
      if (index >= kFarthest || index > memo_.size() * 2 + 65536) {
        return Fail(Say("read.pickle-order"));
      }
      memo_.resize(index + 1, kNotThere);
    }
    memo_[index] = Top();
  }
  void Get(uint64_t index) {
    if (index >= memo_.size() || memo_[index] == kNotThere) {
      return Fail(Say("read.pickle-refers"));
    }
    Push(memo_[index]);
  }
  std::string_view Line() {
    const size_t end = pickle_.bytes_.find('\n', at_);
    if (end == std::string_view::npos) {
      Fail(Say("read.pickle-cut"));
      return {};
    }
    const std::string_view line = pickle_.bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }
  // PyTorch's C++ writer marks lists of one type; nothing else has a name here.
  void PushGlobal() {
    constexpr std::array<std::string_view, 4> kBuilders = {"build_intlist", "build_doublelist",
                                                           "build_boollist", "build_tensorlist"};
    const std::string_view module = Line();
    const std::string_view name = Line();
    const bool builder = module == "torch.jit._pickle" &&
                         std::find(kBuilders.begin(), kBuilders.end(), name) != kBuilders.end();
    if (!builder) return Fail(Say("read.pickle-objects"));
    Push(New(Type::kListBuilder, 0));
  }
  void Reduce() {
    const Handle arguments = Pop();
    const Handle builder = Pop();
    const std::span<const Handle> items = pickle_.Items(arguments);
    if (pickle_.TypeOf(builder) != Type::kListBuilder || items.size() != 1) {
      return Fail(Say("read.pickle-objects"));
    }
    Push(items[0]);
  }
  void Step();
  bool StepNumber(unsigned char opcode);
  bool StepContainer(unsigned char opcode);

  static constexpr Handle kNotThere = std::numeric_limits<uint32_t>::max();
  Pickle pickle_;
  std::string path_;
  size_t at_ = 0;
  uint64_t opcode_at_ = 0;
  std::vector<Handle> stack_;
  std::vector<size_t> marks_;
  std::vector<Handle> memo_;
  size_t next_memo_ = 0;
  std::optional<Error> fault_;
  bool stopped_ = false;
};

bool PickleParser::StepNumber(unsigned char opcode) {
  switch (opcode) {
    case 'J':
      Push(Integer(Fixed<int32_t>()));
      return true;
    case 'K':
      Push(Integer(Fixed<uint8_t>()));
      return true;
    case 'M':
      Push(Integer(Fixed<uint16_t>()));
      return true;
    case 0x8a:
      PushLong();
      return true;
    case 'G':
      Push(New(Type::kReal, __builtin_bswap64(Fixed<uint64_t>())));
      return true;
    case 'N':
      Push(0);
      return true;
    case 0x88:
    case 0x89:
      Push(New(Type::kBool, opcode == 0x88 ? 1 : 0));
      return true;
    case 0x8c:
      PushText(Fixed<uint8_t>());
      return true;
    case 'X':
      PushText(Fixed<uint32_t>());
      return true;
    case 0x8d:
      PushText(Fixed<uint64_t>());
      return true;
    default:
      return false;
  }
}

bool PickleParser::StepContainer(unsigned char opcode) {
  switch (opcode) {
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case '}':
      PushContainer(Type::kDict);
      return true;
    case ']':
    case ')':
      PushContainer(Type::kList);
      return true;
    case 'u':
      Extend(Type::kDict, AboveMark());
      return true;
    case 'e':
      Extend(Type::kList, AboveMark());
      return true;
    case 's':
      ExtendByTop(Type::kDict, 2);
      return true;
    case 'a':
      ExtendByTop(Type::kList, 1);
      return true;
    case 't':
      PushTuple(AboveMark());
      return true;
    case 0x85:
    case 0x86:
    case 0x87:
      PushTuple(opcode - size_t{0x84});
      return true;
    default:
      return false;
  }
}

void PickleParser::Step() {
  opcode_at_ = at_;
  const unsigned char opcode = Fixed<unsigned char>();
  if (fault_) return;
  switch (opcode) {
    case 'h':
      return Get(Fixed<uint8_t>());
    case 'j':
      return Get(Fixed<uint32_t>());
    case 0x94:
      return Put(next_memo_++);
    case 'q':
      return Put(Fixed<uint8_t>());
    case 'r':
      return Put(Fixed<uint32_t>());
    case 0x80:
      if (Fixed<uint8_t>() > 5) Fail(Say("read.pickle-protocol"));
      return;
    case 0x95:
      Fixed<uint64_t>();
      return;
    case 'c':
      return PushGlobal();
    case 'R':
      return Reduce();
    case '.':
      stopped_ = true;
      return;
    default:
      break;
  }
  if (StepNumber(opcode) || StepContainer(opcode)) return;
  Fail(Say("read.pickle-opcode", opcode));
}

Result<Pickle> Pickle::Parse(std::string_view bytes, const std::string& path) {
  return PickleParser(bytes, path).Run();
}

}  // namespace stepscope
