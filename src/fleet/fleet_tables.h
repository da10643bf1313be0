#pragma once

#include <array>
#include <string_view>

#include "fleet/columns.h"
#include "fleet/rows.h"
#include "tables/column_of.h"

// Which tables a fleet has, and where a file's rows of each are.
namespace stepscope::fleet {

struct Table {
  std::string_view name;
  tables::Words meaning;
  tables::Columns columns;
  tables::RowSource (*rows)(const FileRows& file);
};

template <auto kMember>
tables::RowSource RowsOf(const FileRows& file) {
  const auto& rows = file.*kMember;
  return {&file.key, rows.data(), static_cast<uint32_t>(rows.size())};
}

inline constexpr std::array kTables = std::to_array<Table>({
    {"profiles",
     {"a path of the list", "清单中的一个路径"},
     columns::kProfileColumns,
     RowsOf<&FileRows::profiles>},
    {"steps",
     {"a step on a device", "一个设备上的一步"},
     columns::kStepColumns,
     RowsOf<&FileRows::steps>},
    {"findings",
     {"something to change", "一条可以改进之处"},
     columns::kFindingColumns,
     RowsOf<&FileRows::findings>},
    {"ops",
     {"an op or a range of the program", "一个算子或程序标注的区间"},
     columns::kOpColumns,
     RowsOf<&FileRows::ops>},
    {"kernels",
     {"a kernel, copy or memset under one name", "同名的内核、拷贝或置零"},
     columns::kKernelColumns,
     RowsOf<&FileRows::kernels>},
    {"collectives",
     {"calls of one type, group and class of sizes", "同类型、同组、同大小区间的通信调用"},
     columns::kCollectiveColumns,
     RowsOf<&FileRows::collectives>},
    {"quality",
     {"a reason to doubt the profile", "对数据可信度的一条提示"},
     columns::kQualityColumns,
     RowsOf<&FileRows::quality>},
    {"rank_summaries",
     {"what ranks of a run are joined by, until they are", "合并各 rank 所需的摘要，合并前保留"},
     columns::kRankSummaryColumns,
     RowsOf<&FileRows::rank_summaries>},
});

// Of the second pass: profiles do not have it.
inline constexpr Table kRankTable{"ranks",
                                  {"a rank of a run among the others", "一次运行中的一个 rank"},
                                  columns::kRankColumns,
                                  RowsOf<&FileRows::ranks>};

}  // namespace stepscope::fleet
