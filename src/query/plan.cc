#include "query/plan.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "query/sql_table.h"

namespace stepscope::query {
namespace {

using tables::CellType;
using Way = Plan::Way;

struct Condition {
  size_t column;
  uint8_t op;
  bool constant;  // the same for every row of the tables around
  int place;      // in aConstraint
};

// Part of a table's rows that one comparison lets through, where nothing more is known; SQLite
// assumes the same.
constexpr double kShareOfRange = 0.25, kShareOfEqual = 0.1, kShareOfPattern = 0.1;
// A row that the scan itself leaves out costs little compared with one that SQLite looks at.
constexpr double kCostOfTest = 0.05;

bool IsRange(uint8_t op) {
  return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ||
         op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
}
bool IsPattern(uint8_t op) {
  return op == SQLITE_INDEX_CONSTRAINT_LIKE || op == SQLITE_INDEX_CONSTRAINT_GLOB ||
         op == SQLITE_INDEX_CONSTRAINT_REGEXP;
}
bool IsNullTest(uint8_t op) {
  return op == SQLITE_INDEX_CONSTRAINT_ISNULL || op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
}
bool IsText(CellType type) { return type == CellType::kText || type == CellType::kName; }

class Chooser {
 public:
  Chooser(const SqlTable& table, sqlite3_index_info& info)
      : table_(table), info_(info), rows_(std::max(1u, table.size())) {
    for (int i = 0; i < info.nConstraint; ++i) Consider(i);
  }

  Plan Choose() {
    ChooseWay();
    AddTests();
    ChooseOrder();
    info_.estimatedCost = cost_ + found_;
    info_.estimatedRows = std::max<sqlite3_int64>(1, std::llround(found_));
    return plan_;
  }

 private:
  void Consider(int place) {
    const auto& constraint = info_.aConstraint[place];
    if (constraint.usable == 0 || constraint.iColumn < 0) return;
    const auto column = static_cast<size_t>(constraint.iColumn);
    const uint8_t op = constraint.op;
    const CellType type = table_.columns()[column].type;
    if (op != SQLITE_INDEX_CONSTRAINT_EQ && !IsRange(op) && !IsPattern(op) && !IsNullTest(op)) {
      return;
    }
    if (type == CellType::kReal && !IsNullTest(op)) return;
    const bool text = IsText(type);
    if (text && IsRange(op)) return;
    if (!text && IsPattern(op)) return;
    const char* const collation = sqlite3_vtab_collation(&info_, place);
    if (text && collation != nullptr && std::string_view(collation) != "BINARY") return;
    sqlite3_value* value = nullptr;
    const bool constant =
        IsNullTest(op) || (sqlite3_vtab_rhs_value(&info_, place, &value) == SQLITE_OK);
    if (IsPattern(op) && !constant) return;
    conditions_.push_back({column, op, constant, place});
  }

  // Rows that share a value of the column.
  double RowsOfOne(size_t column) const {
    if (table_.HasIndex(column)) {
      return rows_ / std::max(1u, table_.IndexOf(column).distinct());
    }
    const SqlColumn& shown = table_.columns()[column];
    if (shown.target != nullptr) return std::max(1.0, rows_ / std::max(1u, shown.target->size()));
    if (shown.type == CellType::kName) return std::max(1.0, rows_ / table_.names().size());
    if (shown.type == CellType::kInt) return shown.name == "ts" ? 1.0 : 2.0;
    return std::max(1.0, rows_ * kShareOfEqual);
  }

  void Try(Way way, const Condition& condition, double cost, double found) {
    if (cost + found >= cost_ + found_) return;
    plan_.way = way;
    plan_.column = condition.column;
    cost_ = cost;
    found_ = found;
  }

  void ChooseWay() {
    cost_ = found_ = rows_;
    for (const Condition& condition : conditions_) {
      const SqlColumn& shown = table_.columns()[condition.column];
      if (condition.op == SQLITE_INDEX_CONSTRAINT_EQ) {
        if (shown.row_number) {
          Try(Way::kRow, condition, 1, 1);
          info_.idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
        } else if (shown.trace_id) {
          const double parts = std::max<size_t>(1, table_.parts().size());
          if (parts > 1) Try(Way::kTrace, condition, 1, rows_ / parts);
        } else if (!condition.constant || table_.HasIndex(condition.column)) {
          Try(Way::kEqual, condition, std::log2(rows_) / 4, RowsOfOne(condition.column));
        }
      } else if (IsRange(condition.op) && !condition.constant) {
        const double share = RangesOn(condition.column) > 1 ? kShareOfRange / 16 : kShareOfRange;
        Try(Way::kRange, condition, std::log2(rows_), rows_ * share);
      }
    }
    if (plan_.way != Way::kRow) info_.idxFlags &= ~SQLITE_INDEX_SCAN_UNIQUE;
  }

  int RangesOn(size_t column) const {
    return static_cast<int>(std::ranges::count_if(
        conditions_, [&](const Condition& c) { return c.column == column && IsRange(c.op); }));
  }

  // The way's own conditions, and those that are cheap to test beside it.
  void AddTests() {
    const bool scans = plan_.way == Way::kScan || plan_.way == Way::kTrace;
    if (scans) cost_ = found_ * kCostOfTest;
    bool tested = false;
    for (const Condition& condition : conditions_) {
      const bool leads = plan_.way != Way::kScan && condition.column == plan_.column;
      const bool text = IsText(table_.columns()[condition.column].type);
      // Patterns and texts are turned into sets of names first: too dear for a few rows.
      const bool cheap = table_.HasKeys(condition.column) &&
                         (scans ? condition.constant : !text && !IsPattern(condition.op));
      if (!leads && !cheap) continue;
      plan_.tests.push_back({condition.column, condition.op});
      info_.aConstraintUsage[condition.place].argvIndex = static_cast<int>(plan_.tests.size());
      if (leads) continue;
      tested = true;
      found_ *= condition.op == SQLITE_INDEX_CONSTRAINT_EQ ? kShareOfEqual
                : IsPattern(condition.op)                  ? kShareOfPattern
                : IsRange(condition.op)                    ? kShareOfRange
                                                           : 0.5;
    }
    if (scans && !tested) cost_ = found_;
  }

  // Whether rows come in the order that SQLite wants. It says where equal values side by side would
  // do, but relies on the true order where ORDER BY repeats GROUP BY: rows always come in that.
  void ChooseOrder() {
    if (info_.nOrderBy != 1 || info_.aOrderBy[0].iColumn < 0) return;
    const auto column = static_cast<size_t>(info_.aOrderBy[0].iColumn);
    const SqlColumn& shown = table_.columns()[column];
    const int wanted = sqlite3_vtab_distinct(&info_);
    const bool groups = wanted == 1 || wanted == 2;  // an index is worth making
    if (plan_.way == Way::kRange && plan_.column == column && !IsText(shown.type)) {
      // The index has this order.
    } else if (plan_.way != Way::kScan) {
      return;
    } else if (!shown.row_number) {
      if (!table_.Indexable(column) || shown.type == CellType::kBool) return;
      if (!groups && shown.name != "ts" && !table_.HasIndex(column)) return;
      plan_.way = Way::kOrder;
      plan_.column = column;
    }
    plan_.backwards = info_.aOrderBy[0].desc != 0;
    info_.orderByConsumed = 1;
  }

  const SqlTable& table_;
  sqlite3_index_info& info_;
  const double rows_;
  std::vector<Condition> conditions_;
  Plan plan_;
  double cost_ = 0;   // of looking
  double found_ = 0;  // rows that SQLite gets
};

std::string_view SignOf(uint8_t op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return "=";
    case SQLITE_INDEX_CONSTRAINT_GT:
      return ">";
    case SQLITE_INDEX_CONSTRAINT_GE:
      return ">=";
    case SQLITE_INDEX_CONSTRAINT_LT:
      return "<";
    case SQLITE_INDEX_CONSTRAINT_LE:
      return "<=";
    case SQLITE_INDEX_CONSTRAINT_LIKE:
      return "LIKE";
    case SQLITE_INDEX_CONSTRAINT_GLOB:
      return "GLOB";
    case SQLITE_INDEX_CONSTRAINT_REGEXP:
      return "REGEXP";
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
      return "IS NULL";
    default:
      return "IS NOT NULL";
  }
}

}  // namespace

std::string Plan::InWords(const SqlTable& table) const {
  const auto name = [&](size_t at) { return table.columns()[at].name; };
  std::string text;
  switch (way) {
    case Way::kScan:
      text = "every row";
      break;
    case Way::kRow:
    case Way::kTrace:
    case Way::kEqual:
    case Way::kRange:
      text = fmt::format("by {}", name(column));
      break;
    case Way::kOrder:
      text = fmt::format("every row by {}", name(column));
      break;
  }
  if (backwards) text += " backwards";
  for (const Test& test : tests) {
    text += fmt::format(", {} {}", name(test.column), SignOf(test.op));
    if (!IsNullTest(test.op)) text += " ?";
  }
  return text;
}

Plan ChoosePlan(const SqlTable& table, sqlite3_index_info& info) {
  return Chooser(table, info).Choose();
}

}  // namespace stepscope::query
