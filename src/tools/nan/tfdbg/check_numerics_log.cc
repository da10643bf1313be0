#include "tools/nan/tfdbg/check_numerics_log.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace stepscope {
namespace {

constexpr std::string_view kDetected = "!!! Detected Infinity or NaN in output ";
constexpr std::string_view kHad = " : Tensor had ";

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What follows `key` in the text, if it is there.
std::optional<std::string_view> After(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + key.size());
}

uint64_t NumberAt(std::string_view text) {
  text = Trim(text);
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view Quoted(std::string_view text) {
  const size_t open = text.find('"');
  if (open == std::string_view::npos) return {};
  return text.substr(open + 1, text.find('"', open + 1) - open - 1);
}

void AddKinds(std::string_view kinds, TensorHealth& health) {
  health.known = health.bad = health.kinds_known = true;
  health.nan |= kinds.contains("NaN");
  health.neg_inf |= kinds.contains("-Inf");
  // CheckNumerics says "Inf" for both signs, CheckNumericsV2 "+Inf" or "-Inf".
  const size_t inf = kinds.find("Inf");
  const bool signless = inf != std::string_view::npos && (inf == 0 || kinds[inf - 1] == ' ');
  health.pos_inf |= kinds.contains("+Inf");
  health.inf |= signless;
}

// The op of "…Error: {{node x}} name:0 : Tensor had …".
std::string_view OpBefore(std::string_view head) {
  for (const std::string_view prefix :
       {"InvalidArgumentError:", "Invalid argument:", "INVALID_ARGUMENT:"}) {
    if (const auto rest = After(head, prefix)) head = *rest;
  }
  head = Trim(head);
  while (head.starts_with("{{")) {
    const size_t end = head.find("}}");
    if (end == std::string_view::npos) break;
    head = Trim(head.substr(end + 2));
  }
  return head;
}

class LogReader {
 public:
  void Line(std::string_view line) {
    ++number_;
    if (const auto detected = After(line, kDetected)) {
      Begin(*detected);
    } else if (const size_t had = line.find(kHad); had != std::string_view::npos) {
      Had(line.substr(0, had), line.substr(had + kHad.size()));
    } else if (open_) {
      Detail(line);
    } else if (const auto node = After(line, "[[{{node ")) {
      Node(*node);
    }
  }
  std::vector<CheckNumericsMessage> Finish() {
    Close();
    return std::move(messages_);
  }

 private:
  void Begin(std::string_view rest) {
    Close();
    open_.emplace();
    open_->line = number_;
    open_->slot = static_cast<int64_t>(NumberAt(rest));
    open_->eager = rest.contains("eagerly-executing");
    open_->op_type = Quoted(rest);
    open_->health.known = open_->health.bad = true;
  }

  void Had(std::string_view head, std::string_view kinds) {
    kinds = kinds.substr(0, kinds.find(" values"));
    const std::string_view op = OpBefore(head);
    if (op.empty() && open_) {
      AddKinds(kinds, open_->health);
      Close();
      return;
    }
    Close();
    open_.emplace();
    open_->line = number_;
    open_->op = op;
    AddKinds(kinds, open_->health);
    Close();
  }

  // The line after a message names the node that checked: "log_of_zero/CheckNumericsV2}}]]".
  void Node(std::string_view rest) {
    const size_t end = rest.find("/CheckNumerics");
    if (messages_.empty() || end == std::string_view::npos || !messages_.back().op.empty()) return;
    messages_.back().op = rest.substr(0, end);
  }

  void Count(uint64_t HealthCounts::* kind, std::string_view rest) {
    if (!open_->health.counts) open_->health.counts.emplace();
    (*open_->health.counts).*kind = NumberAt(rest);
  }

  void Detail(std::string_view line) {
    const std::string_view text = Trim(line);
    if (text.starts_with("shape:")) open_->shape = Trim(text.substr(6));
    if (text.starts_with("Graph name:")) open_->graph = Quoted(text);
    if (const auto rest = After(text, "# of -Inf elements:")) Count(&HealthCounts::neg_inf, *rest);
    if (const auto rest = After(text, "# of +Inf elements:")) Count(&HealthCounts::pos_inf, *rest);
    if (const auto rest = After(text, "# of +NaN elements:")) Count(&HealthCounts::nan, *rest);
    if (text.starts_with("Input tensor:")) open_->inputs.emplace_back(Trim(text.substr(13)));
    if (text.starts_with("+ ") && text.contains(" (L")) Frame(text.substr(2));
    const size_t bar = text.find('|');
    if (bar != std::string_view::npos && !open_->stack.empty()) {
      open_->stack.back().code = Trim(text.substr(bar + 1));
    }
  }

  // "/path/to/file.py (L12) function"
  void Frame(std::string_view text) {
    const size_t paren = text.rfind(" (L");
    DebugFrame& frame = open_->stack.emplace_back();
    frame.file = Trim(text.substr(0, paren));
    frame.line = static_cast<int64_t>(NumberAt(text.substr(paren + 3)));
    const size_t close = text.find(')', paren);
    if (close != std::string_view::npos) frame.function = Trim(text.substr(close + 1));
  }

  void Close() {
    if (!open_) return;
    if (const auto& counts = open_->health.counts) {
      open_->health.kinds_known = true;
      open_->health.nan |= counts->nan > 0;
      open_->health.pos_inf |= counts->pos_inf > 0;
      open_->health.neg_inf |= counts->neg_inf > 0;
    }
    const bool known = std::ranges::any_of(messages_, [&](const CheckNumericsMessage& other) {
      return (other.op == open_->op || open_->op.empty()) && other.op_type == open_->op_type &&
             other.slot == open_->slot && other.graph == open_->graph;
    });
    if (!known) messages_.push_back(std::move(*open_));
    open_.reset();
  }

  uint64_t number_ = 0;
  std::optional<CheckNumericsMessage> open_;
  std::vector<CheckNumericsMessage> messages_;
};

}  // namespace

std::vector<CheckNumericsMessage> FindCheckNumerics(std::string_view log) {
  LogReader reader;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    reader.Line(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return reader.Finish();
}

}  // namespace stepscope
