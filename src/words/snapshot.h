#pragma once

#include <array>

#include "words/text.h"

// What `stepscope memory` says about a snapshot.
namespace stepscope {

inline constexpr std::array kSnapshotTexts = std::to_array<Text>({
    {"snapshot.device",
     "{reserved} reserved in {segments:count} {segment|segments} · {allocated} "
     "allocated · {free} free in {blocks:count} {block|blocks}, the largest {largest}",
     "保留 {reserved}，共 {segments} 个 segment · 已分配 {allocated} · 空闲 {free}，共 {blocks} "
     "块，最大的 {largest}"},
    {"snapshot.rounding", "{bytes} of the allocated bytes are rounding",
     "已分配的字节中有 {bytes} 是取整"},
    {"snapshot.graphs", "{bytes} belong to CUDA graphs", "{bytes} 属于 CUDA graph"},
    {"snapshot.pinned",
     "{segments:count} {segment is|segments are} less than a tenth in use: {free} that "
     "cannot go back to the device",
     "{segments} 个 segment 使用不到十分之一：{free} 无法还给设备"},
    {"snapshot.peak", "Peak", "峰值"},
    {"snapshot.peak-counts",
     "{peak} · {allocations:count} allocations, {frees:count} frees, {segments:count} "
     "segments made in {time}",
     "{peak} · {time} 内 {allocations} 次分配、{frees} 次释放、新建 {segments} 个 segment"},
    {"snapshot.peak-after",
     "{peak} after {at} · {allocations:count} allocations, {frees:count} frees, "
     "{segments:count} segments made in {time}",
     "{peak}，在 {at} 之后 · {time} 内 {allocations} 次分配、{frees} 次释放、新建 {segments} 个 "
     "segment"},
    {"snapshot.churn", "Churn", "抖动"},
    {"snapshot.churn-made",
     "{segments:count} {segment was|segments were} made after the first step; each one stalls the "
     "program",
     "第一步之后又新建了 {segments} 个 segment；每个都会让程序停顿"},
    {"snapshot.growth", "Growth", "增长"},
    {"snapshot.growth-step", "{bytes} a step, over {steps:count} {step|steps} of {mark}",
     "每步 {bytes}，按 {mark} 的 {steps} 步计"},
    {"snapshot.out-of-memory",
     "Out of memory: {wanted} were asked for; the device had {device} left, the cache "
     "{cached} in pieces of at most {largest}.",
     "显存不足：申请 {wanted}；设备还剩 {device}，缓存中有 {cached}，单块最大 {largest}。"},
    {"snapshot.really-full", "The device was really full: hold less at the peak.",
     "设备确实已满：请减少峰值时的占用。"},
    {"snapshot.fragmented", "There was enough, but not in one piece: the cache is fragmented.",
     "总量足够，但不是连续的一块：缓存有碎片。"},
    {"snapshot.do", "Do", "做法"},
    {"snapshot.grows", "Grows, per step", "每步增长"},
    {"snapshot.grows-module", "Grows, per step, by module", "每步增长，按模块"},
    {"snapshot.held", "Held at the peak", "峰值时的占用"},
    {"snapshot.held-module", "Held at the peak, by module", "峰值时的占用，按模块"},
    {"snapshot.held-step", "Held at the peak, by the step that asked for it",
     "峰值时的占用，按申请所在的步"},
    {"snapshot.against", "Held now, against before", "现在的占用，与之前相比"},
    {"snapshot.against-module", "Held now, against before, by module",
     "现在的占用，与之前相比，按模块"},
    {"snapshot.same", "Both snapshots hold the same by call site.",
     "两份快照按调用位置看占用相同。"},
    {"snapshot.nothing", "The snapshot holds no memory of any device.",
     "快照中没有任何设备的内存。"},
    {"snapshot.bytes", "bytes", "字节"},
    {"snapshot.blocks", "blocks", "块数"},
    {"snapshot.step", "step {number}", "第 {number} 步"},
    {"snapshot.no-stack", "(no stack recorded)", "（没有记录调用栈）"},
    {"snapshot.before", "(before the recording)", "（记录开始之前）"},
    {"snapshot.before-steps", "(before the first step)", "（第一步之前）"},
    {"snapshot.optimizer", "(optimizer)", "（优化器）"},
    {"snapshot.backward", "(backward)", "（反向）"},
    {"snapshot.outside", "(outside of modules)", "（模块之外）"},
});

}  // namespace stepscope
