#include "present/testing/json_schema.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

constexpr size_t kMostComplaints = 20;

using Kind = JsonValue::Kind;

std::string_view TypeOf(const JsonValue& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kNumber:
      return value.text().find_first_of(".eE") == std::string::npos ? "integer" : "number";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  std::unreachable();
}

bool HasType(const JsonValue& value, std::string_view type) {
  return TypeOf(value) == type || (type == "number" && value.kind() == Kind::kNumber);
}

const JsonValue* Find(const JsonValue& object, std::string_view key) {
  for (const auto& [name, value] : object.members()) {
    if (name == key) return &value;
  }
  return nullptr;
}

// Of the scalars that const and enum hold.
bool Same(const JsonValue& a, const JsonValue& b) {
  return a.kind() == b.kind() && a.text() == b.text() && a.AsBool() == b.AsBool();
}

class Validator {
 public:
  explicit Validator(const JsonValue& root) : root_(root) {}

  void Check(const JsonValue& schema, const JsonValue& value, const std::string& path) {
    if (complaints_.size() >= kMostComplaints) return;
    if (schema.kind() == Kind::kBool) {
      if (!schema.AsBool()) Complain(path, "must not be there");
      return;
    }
    for (const auto& [word, rule] : schema.members()) CheckWord(schema, word, rule, value, path);
  }

  std::vector<std::string> Take() { return std::move(complaints_); }

 private:
  void Complain(const std::string& path, const std::string& what) {
    complaints_.push_back((path.empty() ? "(root)" : path) + ": " + what);
  }

  void CheckWord(const JsonValue& schema, const std::string& word, const JsonValue& rule,
                 const JsonValue& value, const std::string& path) {
    constexpr std::array<std::string_view, 6> kWords = {
        "$schema", "$id", "title", "description", "$defs", "additionalProperties"};
    if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return;
    if (word == "$ref") return CheckReference(rule, value, path);
    if (word == "type") return CheckType(rule, value, path);
    if (word == "const") {
      if (!Same(rule, value)) Complain(path, "is not the constant it has to be");
    } else if (word == "enum") {
      if (std::none_of(rule.items().begin(), rule.items().end(),
                       [&](const JsonValue& allowed) { return Same(allowed, value); })) {
        Complain(path, "is none of the allowed values");
      }
    } else if (word == "minimum") {
      if (value.kind() == Kind::kNumber && value.AsDouble() < rule.AsDouble())
        Complain(path, "is too small");
    } else if (word == "required") {
      for (const JsonValue& key : rule.items()) {
        if (value.kind() == Kind::kObject && Find(value, key.text()) == nullptr) {
          Complain(path, "has no " + key.text());
        }
      }
    } else if (word == "properties") {
      CheckMembers(schema, value, path);
    } else if (word == "items") {
      for (size_t i = 0; i < value.items().size(); ++i) {
        Check(rule, value.items()[i], path + "." + std::to_string(i));
      }
    } else if (word == "anyOf") {
      CheckAny(rule, value, path);
    } else {
      Complain(path, "the schema has a word that is not checked: " + word);
    }
  }

  void CheckType(const JsonValue& rule, const JsonValue& value, const std::string& path) {
    bool fits = false;
    if (rule.kind() == Kind::kString) {
      fits = HasType(value, rule.text());
    } else {
      for (const JsonValue& type : rule.items()) fits = fits || HasType(value, type.text());
    }
    if (!fits) Complain(path, "has the wrong type: " + std::string(TypeOf(value)));
  }

  void CheckMembers(const JsonValue& schema, const JsonValue& value, const std::string& path) {
    const JsonValue* known = Find(schema, "properties");
    const JsonValue* others = Find(schema, "additionalProperties");
    for (const auto& [key, member] : value.members()) {
      const JsonValue* rule = known == nullptr ? nullptr : Find(*known, key);
      if (rule == nullptr) rule = others;
      if (rule != nullptr) Check(*rule, member, path.empty() ? key : path + "." + key);
    }
  }

  void CheckAny(const JsonValue& rule, const JsonValue& value, const std::string& path) {
    std::vector<std::string> closest;
    for (const JsonValue& choice : rule.items()) {
      Validator attempt(root_);
      attempt.Check(choice, value, path);
      std::vector<std::string> complaints = attempt.Take();
      if (complaints.empty()) return;
      if (closest.empty() || complaints.size() < closest.size()) closest = std::move(complaints);
    }
    complaints_.insert(complaints_.end(), closest.begin(), closest.end());
  }

  void CheckReference(const JsonValue& rule, const JsonValue& value, const std::string& path) {
    constexpr std::string_view kFront = "#/$defs/";
    const std::string& target = rule.text();
    const JsonValue* definitions = Find(root_, "$defs");
    const JsonValue* found = nullptr;
    if (target.starts_with(kFront) && definitions != nullptr) {
      found = Find(*definitions, std::string_view(target).substr(kFront.size()));
    }
    if (found == nullptr) return Complain(path, "the schema has no " + target);
    Check(*found, value, path);
  }

  const JsonValue& root_;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> SchemaComplaints(const JsonValue& schema, const JsonValue& value) {
  Validator validator(schema);
  validator.Check(schema, value, "");
  return validator.Take();
}

}  // namespace stepscope
