#include "serve/diff_api.h"

#include <charconv>
#include <optional>

#include "diff/diff.h"
#include "diff/diff_output.h"
#include "diff/verdict.h"
#include "serve/trace_api.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

std::optional<size_t> NumberOf(const HttpRequest& request, const std::string& name) {
  const auto at = request.parameters.find(name);
  if (at == request.parameters.end()) return std::nullopt;
  size_t number = 0;
  const std::string& text = at->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string TextOf(const HttpRequest& request, const std::string& name, std::string otherwise) {
  const auto at = request.parameters.find(name);
  return at == request.parameters.end() ? otherwise : at->second;
}

}  // namespace

HttpAnswer AnswerAboutDiff(Session& session, const HttpRequest& request) {
  if (request.method == "POST") return Refusal(405, Say("serve.only-get"));
  const std::optional<size_t> base = NumberOf(request, "base"), now = NumberOf(request, "new");
  if (!base || !now || *base >= session.size() || *now >= session.size()) {
    return Refusal(404, Say("serve.no-profile"));
  }
  const std::optional<diff::By> by = diff::ByNamed(TextOf(request, "by", "op"));
  if (!by) return Refusal(400, Say("serve.by"));
  const std::shared_ptr<const LoadedProfile> first = session.Want(*base),
                                             second = session.Want(*now);
  if (first == nullptr || second == nullptr) return Refusal(409, Say("serve.not-read"));
  diff::Settings settings;
  settings.by = *by;
  const diff::Diff compared = diff::Compare(first->runs(), second->runs(), settings);
  HttpAnswer answer;
  diff::WriteDiffJson(compared, {}, request.language(), answer.body);
  return answer;
}

}  // namespace stepscope
