#include "base/testing/json.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stepscope {

Json::Json(const JsonValue& value) : type_(value.kind()), text_(value.text()) {
  if (type_ == Type::kBool) text_ = value.AsBool() ? "true" : "false";
  for (const JsonValue& item : value.items()) items_.push_back(Json(item));
  for (const auto& [key, member] : value.members()) members_.emplace(key, Json(member));
}

Json Json::Parse(std::string_view text) {
  const Result<JsonValue> document = ParseJson(text);
  if (!document) throw std::runtime_error(InEnglish(document.error().sentence));
  return Json(*document);
}

Json Json::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::stringstream text;
  text << file.rdbuf();
  return Parse(text.str());
}

bool Json::has(std::string_view key) const { return members_.contains(key); }

const Json& Json::operator[](std::string_view key) const {
  const auto at = members_.find(key);
  if (at == members_.end()) throw std::runtime_error("no key " + std::string(key));
  return at->second;
}

const Json& Json::operator[](size_t index) const { return items_.at(index); }

size_t Json::size() const { return type_ == Type::kObject ? members_.size() : items_.size(); }

const std::map<std::string, Json, std::less<>>& Json::members() const { return members_; }

const std::vector<Json>& Json::items() const { return items_; }

bool Json::boolean() const {
  if (type_ != Type::kBool) throw std::runtime_error("not a bool: " + text_);
  return text_ == "true";
}

int64_t Json::integer() const {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (type_ != Type::kNumber || error != std::errc() || end != text_.data() + text_.size()) {
    throw std::runtime_error("not an integer: " + text_);
  }
  return value;
}

double Json::number() const {
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (type_ != Type::kNumber || error != std::errc() || end != text_.data() + text_.size()) {
    throw std::runtime_error("not a number: " + text_);
  }
  return value;
}

const std::string& Json::text() const {
  if (type_ != Type::kString) throw std::runtime_error("not a string: " + text_);
  return text_;
}

}  // namespace stepscope
