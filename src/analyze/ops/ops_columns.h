#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

// `ops` and `ops_by_shape`: the same columns, but the shapes of the first are empty.
constexpr auto OpColumns(Shown shapes) {
  return std::to_array<Column>({
      Of<&OpRow::name>({.name = "name",
                        .meaning = {"name of the op or annotation", "算子或标注的名称"},
                        .title = {"Name", "名称"},
                        .page = {.place = 1, .brief = true}}),
      Of<&OpRow::kind>({.name = "kind",
                        .meaning = {"framework_op or user_annotation",
                                    "framework_op（框架算子）或 user_annotation（用户标注）"},
                        .title = {"Kind", "种类"},
                        .page = {.place = 2}}),
      Of<&OpRow::input_dims>(
          {.name = "input_shapes",
           .meaning = {"nested lists of sizes, or the file's own text where it is none",
                       "输入形状：嵌套的尺寸列表；不是列表时为文件中的原文"},
           .title = {"Input shapes", "输入形状"},
           .nulls = Nulls::kNull,
           .shown = shapes,
           .shapes = true}),
      Of<&OpRow::calls>({.name = "calls",
                         .meaning = {"how often it ran", "运行次数"},
                         .title = {"Calls", "次数"},
                         .page = {.place = 3, .brief = true}}),
      Of<&OpRow::host_self>(
          {.name = "host_self_ns",
           .meaning = {"time on the host less the ops inside", "主机时间，减去内部算子的时间"},
           .title = {"Host self", "主机自身"},
           .below_zero = true,
           .page = {.place = 6, .brief = true, .bar = true}}),
      Of<&OpRow::host_total>(
          {.name = "host_total_ns",
           .meaning = {"time on the host, ops inside included", "主机时间，包含内部算子"},
           .title = {"Host total", "主机总计"},
           .below_zero = true,
           .page = {.place = 7, .brief = true}}),
      Of<&OpRow::device_self>({.name = "device_self_ns",
                               .meaning = {"device work that it launched itself, added up",
                                           "由它直接启动的设备任务时间之和"},
                               .title = {"Device self", "设备自身"},
                               .below_zero = true,
                               .page = {.place = 4, .brief = true, .bar = true}}),
      Of<&OpRow::device_total>({.name = "device_total_ns",
                                .meaning = {"device work that it or an op inside launched",
                                            "由它或其内部算子启动的设备任务时间之和"},
                                .title = {"Device total", "设备总计"},
                                .below_zero = true,
                                .page = {.place = 5, .brief = true}}),
      Of<&OpRow::tensor_core>({.name = "tensor_core_ns",
                               .meaning = {"the part of device_self_ns in tensor-core kernels",
                                           "device_self_ns 中张量核心内核所占的部分"},
                               .title = {"Tensor cores", "张量核心"},
                               .below_zero = true,
                               .page = {.place = 8}}),
      Of<&OpRow::host_total_outermost>(
          {.name = "host_total_outermost_ns",
           .meaning = {"host_total_ns of the calls that are not inside a call of the same name",
                       "host_total_ns，只计不在同名调用之内的调用"},
           .below_zero = true}),
      Of<&OpRow::device_total_outermost>(
          {.name = "device_total_outermost_ns",
           .meaning = {"device_total_ns of the calls that are not inside a call of the same name",
                       "device_total_ns，只计不在同名调用之内的调用"},
           .below_zero = true}),
      Of<&OpRow::calls_outermost>({.name = "calls_outermost",
                                   .meaning = {"calls that are not inside a call of the same name",
                                               "不在同名调用之内的调用次数"}}),
      Of<&OpRow::host_self_excl_runtime>({.name = "host_self_excl_runtime_ns",
                                          .meaning = {"host_self_ns less the runtime calls inside",
                                                      "host_self_ns 减去内部的运行时调用"},
                                          .below_zero = true}),
      Of<&OpRow::device_self_union>(
          {.name = "device_self_union_ns",
           .meaning = {"time in which at least one piece of its own device work ran",
                       "其自身设备任务至少有一个在运行的时间"},
           .below_zero = true}),
      Of<&OpRow::calls_launching>({.name = "calls_launching",
                                   .meaning = {"calls that launched device work themselves",
                                               "直接启动了设备任务的调用次数"}}),
      Of<&OpRow::tensor_core_eligible>(
          {.name = "tensor_core_eligible",
           .meaning = {"whether the op can use tensor cores", "该算子能否使用张量核心"}}),
      Of<&OpRow::tensor_core_total>(
          {.name = "tensor_core_total_ns",
           .meaning = {"the part of device_total_ns in tensor-core kernels",
                       "device_total_ns 中张量核心内核所占的部分"},
           .below_zero = true}),
  });
}

inline constexpr auto kOpColumns = OpColumns(kInCsv);
inline constexpr auto kOpByShapeColumns = OpColumns(kEverywhere);

}  // namespace stepscope::tables
