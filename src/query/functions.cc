#include "query/functions.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "present/kernel_name.h"
#include "words/query.h"

namespace stepscope::query {
namespace {

constexpr SayFrom<kQueryTexts> Say;

std::string_view TextOf(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_value_bytes(value))};
}

// ---- aggregates

// The state of an aggregate, made when the first row comes; null where no row came.
template <typename State>
State* StateOf(sqlite3_context* context, bool make) {
  auto** const place = static_cast<State**>(
      sqlite3_aggregate_context(context, make ? static_cast<int>(sizeof(State*)) : 0));
  if (place == nullptr) return nullptr;
  if (*place == nullptr && make) *place = new State;
  return *place;
}
template <typename State>
void Drop(sqlite3_context* context) {
  auto** const place = static_cast<State**>(sqlite3_aggregate_context(context, 0));
  if (place == nullptr) return;
  delete *place;
  *place = nullptr;
}

template <typename State>
void Step(sqlite3_context* context, int count, sqlite3_value** values) {
  if (State* const state = StateOf<State>(context, true)) state->Add(count, values);
}
// Window functions take rows away again at the back.
template <typename State>
void Inverse(sqlite3_context* context, int count, sqlite3_value** values) {
  if (State* const state = StateOf<State>(context, false)) state->Remove(count, values);
}
template <typename State>
void Value(sqlite3_context* context) {
  State* const state = StateOf<State>(context, false);
  state == nullptr ? State().Give(context) : state->Give(context);
}
template <typename State>
void Final(sqlite3_context* context) {
  Value<State>(context);
  Drop<State>(context);
}

bool IsNumber(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

// Numbers of a group; values that are no numbers are left out, as in avg(). With linear
// interpolation between the two nearest, as numpy, pandas and DuckDB's quantile_cont do it.
class Quantile {
 public:
  void Add(int count, sqlite3_value** values) {
    if (count > 1) share_ = sqlite3_value_double(values[1]) / whole_;
    if (IsNumber(values[0])) numbers_.push_back(sqlite3_value_double(values[0]));
    sorted_ = false;
  }
  void Remove(int, sqlite3_value** values) {
    if (!IsNumber(values[0])) return;
    const auto at = std::ranges::find(numbers_, sqlite3_value_double(values[0]));
    if (at != numbers_.end()) numbers_.erase(at);
  }
  void Give(sqlite3_context* context) {
    if (!(share_ >= 0 && share_ <= 1)) {
      const std::string why =
          InEnglish(whole_ == 1 ? Say("query.bad-quantile") : Say("query.bad-percentile"));
      return sqlite3_result_error(context, why.c_str(), -1);
    }
    if (numbers_.empty()) return sqlite3_result_null(context);
    const double place = share_ * static_cast<double>(numbers_.size() - 1);
    const auto below = static_cast<size_t>(place);
    const double low = Nth(below);
    const double rest = place - static_cast<double>(below);
    const double value = rest == 0 ? low : low + rest * (Nth(below + 1) - low);
    // Times stay whole numbers where they are.
    constexpr double kExact = 9e15;
    if (value == std::floor(value) && std::abs(value) < kExact) {
      return sqlite3_result_int64(context, static_cast<sqlite3_int64>(value));
    }
    sqlite3_result_double(context, value);
  }

 protected:
  double share_ = 0.5;
  double whole_ = 1;  // what stands for all

 private:
  double Nth(size_t place) {
    if (!sorted_) std::ranges::sort(numbers_);
    sorted_ = true;
    return numbers_[place];
  }
  std::vector<double> numbers_;
  bool sorted_ = false;
};
class Percentile : public Quantile {
 public:
  Percentile() { whole_ = 100; }
};

// Sample standard deviation, by Welford: it stays exact where numbers are large and close together.
class Deviation {
 public:
  void Add(int, sqlite3_value** values) {
    if (!IsNumber(values[0])) return;
    const double value = sqlite3_value_double(values[0]);
    ++count_;
    const double off = value - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (value - mean_);
  }
  void Remove(int, sqlite3_value** values) {
    if (!IsNumber(values[0])) return;
    const double value = sqlite3_value_double(values[0]);
    if (--count_ == 0) {
      mean_ = squares_ = 0;
      return;
    }
    const double off = value - mean_;
    mean_ -= off / static_cast<double>(count_);
    squares_ -= off * (value - mean_);
  }
  void Give(sqlite3_context* context) {
    if (count_ < 2) return sqlite3_result_null(context);
    sqlite3_result_double(context,
                          std::sqrt(std::max(0.0, squares_) / static_cast<double>(count_ - 1)));
  }

 private:
  int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

// The length of the union of intervals: how long at least one of them ran.
class UnionLength {
 public:
  void Add(int, sqlite3_value** values) {
    if (!IsNumber(values[0]) || !IsNumber(values[1])) return;
    const Interval interval = IntervalOf(values);
    if (interval.second > interval.first) intervals_.push_back(interval);
  }
  void Remove(int, sqlite3_value** values) {
    const auto at = std::ranges::find(intervals_, IntervalOf(values));
    if (at != intervals_.end()) intervals_.erase(at);
  }
  void Give(sqlite3_context* context) {
    std::ranges::sort(intervals_);
    int64_t length = 0, end = INT64_MIN;
    for (const auto& [first, last] : intervals_) {
      if (last <= end) continue;
      length += last - std::max(first, end);
      end = last;
    }
    sqlite3_result_int64(context, length);
  }

 private:
  using Interval = std::pair<int64_t, int64_t>;
  static Interval IntervalOf(sqlite3_value** values) {
    const int64_t start = sqlite3_value_int64(values[0]);
    int64_t end = 0;
    // An end past the last number is the last number.
    const bool past = __builtin_add_overflow(start, int64_t{sqlite3_value_int64(values[1])}, &end);
    return {start, past ? INT64_MAX : end};
  }
  std::vector<Interval> intervals_;
};

template <typename State>
int Aggregate(sqlite3* database, const char* name, int arguments) {
  return sqlite3_create_window_function(
      database, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
      Step<State>, Final<State>, Value<State>, Inverse<State>, nullptr);
}

// ---- scalars

// regexp(pattern, text) is what `text REGEXP pattern` calls.
void Regexp(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
      sqlite3_value_type(values[1]) == SQLITE_NULL) {
    return;
  }
  auto* compiled = static_cast<RE2*>(sqlite3_get_auxdata(context, 0));
  if (compiled == nullptr) {
    auto made = std::make_unique<RE2>(TextOf(values[0]), RE2::Quiet);
    if (!made->ok()) {
      const std::string why = "regexp: " + made->error();
      return sqlite3_result_error(context, why.c_str(), -1);
    }
    compiled = made.release();
    sqlite3_result_int(context, RE2::PartialMatch(TextOf(values[1]), *compiled) ? 1 : 0);
    return sqlite3_set_auxdata(context, 0, compiled,
                               [](void* pattern) { delete static_cast<RE2*>(pattern); });
  }
  sqlite3_result_int(context, RE2::PartialMatch(TextOf(values[1]), *compiled) ? 1 : 0);
}

template <int kDivisor>
void Scaled(sqlite3_context* context, int, sqlite3_value** values) {
  if (!IsNumber(values[0])) return;
  sqlite3_result_double(context, sqlite3_value_double(values[0]) / kDivisor);
}

void ShortName(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  const std::string name = ShortKernelName(TextOf(values[0]));
  sqlite3_result_text64(context, name.data(), name.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

int Scalar(sqlite3* database, const char* name, int arguments,
           void (*function)(sqlite3_context*, int, sqlite3_value**)) {
  return sqlite3_create_function_v2(database, name, arguments,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                                    function, nullptr, nullptr, nullptr);
}

}  // namespace

std::span<const FunctionFacts> Functions() {
  static constexpr std::array kFunctions = std::to_array<FunctionFacts>({
      {"median(x)", {"the middle value of a group", "一组值的中位数"}},
      {"percentile(x, p)", {"p from 0 to 100, between neighbours", "p 取 0 到 100，线性插值"}},
      {"quantile(x, q)", {"q from 0 to 1", "q 取 0 到 1"}},
      {"stddev(x)", {"sample standard deviation", "样本标准差"}},
      {"union_dur(ts, dur)",
       {"how long at least one of the intervals ran", "至少有一个区间在运行的总时长"}},
      {"x REGEXP p", {"whether a regular expression of RE2 is found", "是否匹配 RE2 正则表达式"}},
      {"ms(ns)", {"milliseconds", "毫秒"}},
      {"us(ns)", {"microseconds", "微秒"}},
      {"short_name(name)",
       {"a kernel's name without parameters and namespaces", "去掉参数与命名空间的 kernel 名称"}},
      {"extract_arg(arg_set_id, key)",
       {"an argument of the event, read from the file", "从文件读取的事件参数"}},
  });
  return kFunctions;
}

int RegisterFunctions(sqlite3* database) {
  for (const int code :
       {Aggregate<Quantile>(database, "median", 1), Aggregate<Quantile>(database, "quantile", 2),
        Aggregate<Percentile>(database, "percentile", 2),
        Aggregate<Deviation>(database, "stddev", 1),
        Aggregate<UnionLength>(database, "union_dur", 2), Scalar(database, "regexp", 2, Regexp),
        Scalar(database, "ms", 1, Scaled<1'000'000>), Scalar(database, "us", 1, Scaled<1'000>),
        Scalar(database, "short_name", 1, ShortName)}) {
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace stepscope::query
