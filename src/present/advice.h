#pragma once

#include <span>
#include <string>
#include <string_view>

#include "advise/rule.h"
#include "advise/thresholds.h"
#include "present/json_writer.h"
#include "present/style.h"
#include "study/reported.h"

namespace stepscope {

// `findings` and `rules` of the report's contract, as members of an open object.
void WriteFindingsPart(const Advice& advice, JsonWriter& json);

// What follows needs advice of every trace.
// `advise --json`: stepscope.advice/1; several profiles as {"schema": "stepscope.advices/1",
// "advices": […]}.
void WriteAdviceJson(std::span<const Reported> advised, Language language, std::string& out);

enum class AdviceDetail : uint8_t { kFindings, kAll };
// The text for people: findings by value, then how many rules were checked; kAll adds why the
// others could not decide.
std::string AdviceText(std::span<const Reported> advised, AdviceDetail detail, const Style& style);
// Findings as `report` shows them: a few lines, the most valuable first.
std::string FindingsText(const Advice& advice, size_t most, const Style& style);

// `advise --why RULE`: whether the rule fired on each profile, what it goes by, and what of the
// profile it looked at. The advice is of that rule alone.
std::string WhyText(const Rule& rule, std::span<const Reported> advised, const Limits& limits,
                    const Style& style);

// Annotations where pipelines show them: SARIF 2.1.0, and GitHub's workflow commands.
void WriteSarif(std::span<const Reported> advised, Language language, std::string& out);
std::string GithubText(std::span<const Reported> advised, Language language);

// `stepscope explain`, with the limits in force.
std::string ExplainText(const Rule& rule, const Limits& limits, const Style& style);
std::string RuleListText(const Limits& limits, const Style& style);
std::string ThresholdsText(const Limits& limits, const Style& style);
void WriteRulesJson(std::span<const Rule> rules, const Limits& limits, Language language,
                    std::string& out);

}  // namespace stepscope
