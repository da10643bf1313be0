#pragma once

#include <array>

#include "words/text.h"

// What `memory` finds in a snapshot of PyTorch's allocator.
namespace stepscope {

inline constexpr std::array kSnapshotTexts = std::to_array<Text>({
    {"snapshot.before", "(before the recording)", "（录制之前）"},
    {"snapshot.no-stack", "(no stack recorded)", "（没有记录调用栈）"},
    {"snapshot.column.bytes", "bytes", "字节"},
    {"snapshot.column.share", "%", "%"},
    {"snapshot.column.blocks", "blocks", "块数"},
    {"snapshot.heading.grows", "Grows, per step", "每步增长"},
    {"snapshot.heading.peak", "Held at the peak", "峰值时占用"},
    {"snapshot.heading.against", "Held now, against before", "当前占用，与之前相比"},
    {"snapshot.oom",
     "Out of memory: {wanted} were asked for; the device had {free} left, the cache {cached} in "
     "pieces of at most {largest}.",
     "显存不足：申请 {wanted}；设备只剩 {free}，缓存有 {cached}，最大一块 {largest}。"},
    {"snapshot.full", "The device was really full: hold less at the peak.",
     "设备确实满了：请减少峰值占用。"},
    {"snapshot.fragmented", "There was enough, but not in one piece: the cache is fragmented.",
     "总量足够，但没有足够大的连续块：缓存有碎片。"},
    {"snapshot.do", "Do    PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
     "做法  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
    {"snapshot.device",
     "gpu:{device}   {reserved} reserved in {segments:count} {segment|segments} · {allocated} "
     "allocated · {free} free in {blocks:count} {block|blocks}, the largest {largest}",
     "gpu:{device}   保留 {reserved}，{segments} 个段 · 已分配 {allocated} · 空闲 {free}，{blocks} "
     "块，最大 {largest}"},
    {"snapshot.rounding", "{bytes} of the allocated bytes are rounding",
     "已分配的字节中有 {bytes} 是取整产生的"},
    {"snapshot.graphs", "{bytes} belong to CUDA graphs", "其中 {bytes} 属于 CUDA graph"},
    {"snapshot.peak",
     "Peak    {bytes}{after} · {allocations:count} allocations, {frees:count} frees, "
     "{segments:count} segments made in {span}",
     "峰值    {bytes}{after} · {span} 内分配 {allocations} 次，释放 {frees} 次，新建 {segments} "
     "个段"},
    {"snapshot.after", " after {time}", "，出现在 {time} 时"},
    {"snapshot.churn",
     "Churn   {n:count} {segment was|segments were} made after the first step; each one stalls the "
     "program",
     "抖动    第一步之后又新建了 {n} 个段；每次都会让程序停顿"},
    {"snapshot.growth", "Growth  {bytes} a step, over {n:count} {step|steps} of {mark}",
     "增长    每步 {bytes}，依据 {mark} 的 {n} 步"},
    {"snapshot.nothing", "The snapshot holds no memory of any device.",
     "快照中没有任何设备的显存。"},
    {"snapshot.same", "Both snapshots hold the same by call site.",
     "按调用位置比较，两份快照占用相同。"},
});

}  // namespace stepscope
