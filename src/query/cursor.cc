#include "query/cursor.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stepscope::query {
namespace {

using tables::Cell;
using tables::CellType;
using Way = Plan::Way;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

bool IsText(CellType type) { return type == CellType::kText || type == CellType::kName; }

struct Bounds {
  int64_t low = kLeast, high = kMost;
};

// A real number compared with integers, as bounds that let the same integers through.
Bounds BoundsOf(uint8_t op, double value) {
  constexpr double kBeyond = 9.2e18;
  if (std::isnan(value)) return {1, 0};
  const double down = std::floor(value), up = std::ceil(value);
  const auto whole = [](double number) {
    return number >= kBeyond ? kMost : number <= -kBeyond ? kLeast : static_cast<int64_t>(number);
  };
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return down == up ? Bounds{whole(value), whole(value)} : Bounds{1, 0};
    // Bounds beyond 2^53 may let a neighbour through; SQLite tests again.
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_GT:
      return {whole(down), kMost};
    default:
      return {kLeast, whole(up)};
  }
}

Bounds BoundsOf(uint8_t op, int64_t value) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return {value, value};
    case SQLITE_INDEX_CONSTRAINT_GE:
      return {value, kMost};
    case SQLITE_INDEX_CONSTRAINT_GT:
      return value == kMost ? Bounds{1, 0} : Bounds{value + 1, kMost};
    case SQLITE_INDEX_CONSTRAINT_LE:
      return {kLeast, value};
    default:
      return value == kLeast ? Bounds{1, 0} : Bounds{kLeast, value - 1};
  }
}

// What a value lets through when compared with integers, after SQLite's rules for types: null fits
// nothing, text and blobs come after every number.
Bounds BoundsOf(uint8_t op, sqlite3_value* value) {
  switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
      return BoundsOf(op, int64_t{sqlite3_value_int64(value)});
    case SQLITE_FLOAT:
      return BoundsOf(op, sqlite3_value_double(value));
    case SQLITE_NULL:
      return {1, 0};
    default:
      return op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE ? Bounds{}
                                                                                  : Bounds{1, 0};
  }
}

std::string_view TextOf(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_value_bytes(value))};
}

// Says of texts whether they fit a pattern of LIKE, GLOB or REGEXP.
class Pattern {
 public:
  Pattern(uint8_t op, std::string_view pattern) : op_(op), pattern_(pattern) {
    if (op == SQLITE_INDEX_CONSTRAINT_REGEXP) regex_.emplace(pattern_, RE2::Quiet);
  }
  bool Fits(std::string_view text) {
    if (regex_) return !regex_->ok() || RE2::PartialMatch(text, *regex_);
    copy_.assign(text);  // SQLite reads to the first 0
    return op_ == SQLITE_INDEX_CONSTRAINT_GLOB
               ? sqlite3_strglob(pattern_.c_str(), copy_.c_str()) == 0
               : sqlite3_strlike(pattern_.c_str(), copy_.c_str(), 0) == 0;
  }

 private:
  const uint8_t op_;
  const std::string pattern_;
  std::optional<RE2> regex_;
  std::string copy_;
};

}  // namespace

Cursor::Cursor(const SqlTable& table) : table_(table), readers_(table.columns().size()) {}

void Cursor::Start(const Plan& plan, std::span<sqlite3_value*> values) {
  tests_.clear();
  nothing_ = false;
  low_ = kLeast;
  high_ = kMost;
  for (size_t i = 0; i < plan.tests.size() && i < values.size() && !nothing_; ++i) {
    const bool leads =
        plan.way != Way::kScan && plan.way != Way::kOrder && plan.tests[i].column == plan.column;
    nothing_ = !AddTest(plan.tests[i], values[i], leads);
  }
  if (nothing_ || low_ > high_) return WalkRows(0, 0);
  StartWay(plan);
  if (plan.backwards) {
    std::swap(at_, end_);
    --at_;
    --end_;
    step_ = -1;
  }
  Seek();
}

void Cursor::StartWay(const Plan& plan) {
  const uint32_t rows = table_.size();
  switch (plan.way) {
    case Way::kScan:
      return WalkRows(0, rows);
    case Way::kRow: {
      const int64_t first = std::clamp<int64_t>(low_, 0, rows);
      const int64_t last = high_ < 0 ? 0 : std::min<int64_t>(high_, int64_t{rows} - 1) + 1;
      return WalkRows(static_cast<uint32_t>(first), static_cast<uint32_t>(std::max(first, last)));
    }
    case Way::kTrace: {
      if (low_ != high_ || low_ < 0 || low_ >= static_cast<int64_t>(table_.parts().size())) {
        return WalkRows(0, 0);
      }
      const TablePart& part = table_.parts()[static_cast<size_t>(low_)];
      return WalkRows(part.first, part.first + part.size());
    }
    case Way::kEqual:
    case Way::kRange:
      WalkList(table_.IndexOf(plan.column).Between(low_, high_));
      return Narrow(plan);
    case Way::kOrder:
      return WalkList(table_.InOrder(plan.column));
  }
}

// Rows of one value that ascend in time need no test of every row: the stretch is found by halving.
void Cursor::Narrow(const Plan& plan) {
  constexpr size_t kWorthHalving = 16;
  if (plan.way != Way::kEqual || list_.size() < kWorthHalving) return;
  const std::optional<size_t> ts = table_.Find("ts");
  if (!ts || !table_.HasKeys(*ts) || !table_.AscendsInTime(plan.column)) return;
  for (const Test& test : tests_) {
    if (test.column != *ts || test.kind != Test::Kind::kBetween) continue;
    const auto time = [&](uint32_t row) {
      EnterPart(row);
      return *ReaderOf(*ts).Key(row - part_->first);
    };
    const auto first = std::ranges::lower_bound(list_, test.low, {}, time);
    const auto last =
        std::upper_bound(first, list_.end(), test.high,
                         [&](int64_t bound, uint32_t row) { return bound < time(row); });
    WalkList({first, last});
  }
}

void Cursor::WalkRows(uint32_t first, uint32_t last) {
  is_list_ = false;
  at_ = first;
  end_ = last;
  step_ = 1;
}

void Cursor::WalkList(std::span<const uint32_t> rows) {
  is_list_ = true;
  list_ = rows;
  at_ = 0;
  end_ = static_cast<int64_t>(rows.size());
  step_ = 1;
}

// False where no row can meet the condition.
bool Cursor::AddTest(const Plan::Test& test, sqlite3_value* value, bool leads) {
  if (test.op == SQLITE_INDEX_CONSTRAINT_ISNULL || test.op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL) {
    if (leads) return true;
    tests_.push_back({.column = test.column,
                      .kind = test.op == SQLITE_INDEX_CONSTRAINT_ISNULL ? Test::Kind::kNull
                                                                        : Test::Kind::kNotNull});
    return true;
  }
  if (IsText(table_.columns()[test.column].type)) return AddTextTest(test, value, leads);
  const Bounds bounds = BoundsOf(test.op, value);
  if (leads) {
    low_ = std::max(low_, bounds.low);
    high_ = std::min(high_, bounds.high);
    return low_ <= high_;
  }
  tests_.push_back({.column = test.column, .low = bounds.low, .high = bounds.high});
  return bounds.low <= bounds.high;
}

bool Cursor::AddTextTest(const Plan::Test& test, sqlite3_value* value, bool leads) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return false;
  if (test.op != SQLITE_INDEX_CONSTRAINT_EQ) {
    if (leads) return true;  // another condition on the column leads; SQLite tests this one
    tests_.push_back({.column = test.column,
                      .kind = Test::Kind::kInSet,
                      .set = SetFor(test.column, test.op, TextOf(value))});
    return true;
  }
  if (type == SQLITE_BLOB) return false;
  const std::optional<int64_t> key = table_.KeyOf(test.column, TextOf(value));
  if (!key) return false;
  if (leads) {
    low_ = std::max(low_, *key);
    high_ = std::min(high_, *key);
    return low_ <= high_;
  }
  tests_.push_back({.column = test.column, .low = *key, .high = *key});
  return true;
}

size_t Cursor::SetFor(size_t column, uint8_t op, std::string_view pattern) {
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].column == column && sets_[i].op == op && sets_[i].pattern == pattern) return i;
  }
  KeySet set{column, op, std::string(pattern), {}};
  Pattern fits(op, pattern);
  const SqlColumn& shown = table_.columns()[column];
  if (shown.type == CellType::kName) {
    set.has.resize(table_.names().size());
    for (uint32_t key = 0; key < set.has.size(); ++key) {
      set.has[key] = fits.Fits(table_.names().TextOf(key)) ? 1 : 0;
    }
  } else {
    set.has.resize(shown.declared->codes);
    for (size_t code = 0; code < set.has.size(); ++code) {
      set.has[code] = fits.Fits(shown.declared->code(static_cast<uint8_t>(code))) ? 1 : 0;
    }
  }
  sets_.push_back(std::move(set));
  return sets_.size() - 1;
}

void Cursor::EnterPart(uint32_t row) const {
  if (part_ != nullptr && row >= part_->first && row - part_->first < part_->size()) return;
  part_ = &table_.PartOf(row);
  for (std::optional<ColumnReader>& reader : readers_) reader.reset();
}

ColumnReader& Cursor::ReaderOf(size_t column) const {
  std::optional<ColumnReader>& reader = readers_[column];
  if (!reader) reader.emplace(table_, column, *part_);
  return *reader;
}

bool Cursor::Fits() const {
  for (const Test& test : tests_) {
    const std::optional<int64_t> key = ReaderOf(test.column).Key(row_ - part_->first);
    switch (test.kind) {
      case Test::Kind::kBetween:
        if (!key || *key < test.low || *key > test.high) return false;
        break;
      case Test::Kind::kInSet:
        if (!key || sets_[test.set].has[static_cast<size_t>(*key)] == 0) return false;
        break;
      case Test::Kind::kNull:
        if (key) return false;
        break;
      case Test::Kind::kNotNull:
        if (!key) return false;
        break;
    }
  }
  return true;
}

void Cursor::Seek() {
  for (; at_ != end_; at_ += step_) {
    row_ = is_list_ ? list_[static_cast<size_t>(at_)] : static_cast<uint32_t>(at_);
    EnterPart(row_);
    if (Fits()) return;
  }
}

void Cursor::Give(sqlite3_context* context, size_t column) {
  ColumnReader& reader = ReaderOf(column);
  const Cell cell = reader.Read(row_ - part_->first);
  if (cell.null) return sqlite3_result_null(context);
  switch (cell.type) {
    case CellType::kInt:
    case CellType::kBool:
      return sqlite3_result_int64(context, cell.integer);
    case CellType::kReal:
      return sqlite3_result_double(context, cell.real);
    default: {
      // Texts of the trace outlive the statement; those made for the occasion do not.
      const std::string& scratch = reader.scratch();
      const bool made =
          cell.text.data() >= scratch.data() && cell.text.data() <= scratch.data() + scratch.size();
      const char* const text = cell.text.data() == nullptr ? "" : cell.text.data();
      return sqlite3_result_text64(context, text, cell.text.size(),
                                   made ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
    }
  }
}

}  // namespace stepscope::query
