#pragma once

#include <array>

#include "words/text.h"

// The labels and lines around findings.
namespace stepscope {

inline constexpr std::array kLabelTexts = std::to_array<Text>({
    {"label.high", "HIGH", "高"},
    {"label.medium", "MEDIUM", "中"},
    {"label.low", "LOW", "低"},
    {"label.note", "NOTE", "提示"},
    {"label.a-step", "a step", "每步"},
    {"label.in-all", "in all", "总共"},
    {"label.save", "Save {range} {each}.", "{each}可省 {range}。"},
    {"label.save-up-to", "Save up to {most:duration} {each}.", "{each}最多可省 {most}。"},
    {"label.both-steps",
     "A step takes {profiled:duration} profiled, about {unprofiled:duration} without the profiler. "
     "Savings are of the step without it.",
     "一步在性能分析下用 {profiled}，不分析时约 {unprofiled}。收益按不分析的步计算。"},
    {"label.to", "to", "至"},
    {"label.rank", "rank {rank:int}", "rank {rank}"},
    {"label.step", "step {step:int}", "第 {step} 步"},
    {"label.event", "event {events}", "事件 {events}"},
    {"label.do", "Do", "做法"},
    {"label.others", "Others", "其他"},
    {"label.in-framework", "in {framework}: {fix}", "在 {framework} 中：{fix}"},
    {"label.see", "See", "位置"},
    {"label.because", "because: {cause}", "原因：{cause}"},
    {"label.because-rule", "because: {cause} ({rule})", "原因：{cause}（{rule}）"},
    {"label.because-of", "Because: {cause}", "原因：{cause}"},
    {"label.do-this", "Do: {fix}", "做法：{fix}"},
    {"label.checked",
     "Checked {rules:int} {rule|rules}: {fired:int} fired, {quiet:int} did not, {unable:int} could "
     "not tell",
     "检查了 {rules} 条规则：{fired} 条触发，{quiet} 条未触发，{unable} 条无法判断"},
    {"label.ignored", "; {ignored:int} ignored", "；忽略 {ignored} 条"},
    {"label.why-all", " (why: --all)", "（原因：--all）"},
    {"label.needs", "{rule} needs {needs}", "{rule} 需要{needs}"},
    {"label.is-ignored", "{rule} is ignored: {reason}", "{rule} 已忽略：{reason}"},
    {"label.did-not-fire", "did not fire: {rules}", "未触发：{rules}"},
    {"label.more", "{more:int} more {finding|findings}, and the evidence: stepscope advise",
     "另有 {more} 条发现，证据见：stepscope advise"},
    {"label.evidence", "the evidence: stepscope advise", "证据见：stepscope advise"},
    {"label.nothing", "Nothing worth changing was found.", "没有发现值得修改的地方。"},
    {"label.together",
     "All of them together, replayed with what is sure to change: {saving:duration} a step.",
     "全部一起重放（只算确定会变的）：每步可省 {saving}。"},
    {"label.why-fired", "It fired: {title}", "已触发：{title}"},
    {"label.why-quiet", "It did not fire: what it looks for is not there, or below its limit.",
     "未触发：没有它要找的现象，或低于阈值。"},
    {"label.why-facts", "Facts", "事实"},
    {"label.why-step", "median step {step:duration} of {steps:int}", "{steps} 步的中位数 {step}"},
    {"label.why-unprofiled", "about {step:duration} without the profiler", "不分析时约 {step}"},
    {"label.why-busy", "the device works {busy:duration} of it", "其中设备工作 {busy}"},
    {"label.why-idle", "{cause} {idle:duration}", "{cause} {idle}"},
    {"label.why-change",
     "Other limits: stepscope.toml; all about the rule: stepscope explain {rule}",
     "改阈值：stepscope.toml；规则详情：stepscope explain {rule}"},
    {"label.symptom", "Symptom", "现象"},
    {"label.told-by", "Told by", "依据"},
    {"label.limit", "Limit", "阈值"},
    {"label.saving", "Saving", "收益"},
    {"label.beware", "Beware", "注意"},
    {"label.refuted", "Refuted", "反证"},
    {"label.sources", "Sources", "来源"},
    {"label.causes", "Causes", "导致"},
    {"label.rules", "Rules", "规则"},
    {"label.finds", "what it finds", "发现什么"},
    {"label.tells-more", "stepscope explain RULE tells more.",
     "stepscope explain RULE 有更多说明。"},
    {"label.thresholds", "Thresholds", "阈值"},
    {"label.value", "value", "值"},
    {"label.unit", "unit", "单位"},
    {"label.whose", "whose", "出处"},
    {"label.whose-is",
     "Whose: [AS] Ascend advisor, [NSYS] Nsight Systems, [SM] SageMaker Debugger, [TB] TensorBoard "
     "plugin, [TFADV] tfprof, [TFDA] tf.data analysis, [TT] torch.profiler's patterns, [XP] XProf.",
     "出处：[AS] Ascend advisor，[NSYS] Nsight Systems，[SM] SageMaker Debugger，[TB] TensorBoard "
     "插件，[TFADV] tfprof，[TFDA] tf.data 分析，[TT] torch.profiler 的模式，[XP] XProf。"},
});

}  // namespace stepscope
