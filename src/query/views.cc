#include "query/views.h"

#include <array>

namespace stepscope::query {

std::span<const View> Views() {
  static constexpr std::array kViews = std::to_array<View>({
      // Perfetto
      {"slices",
       {"slice, under Perfetto's other name", "slice 的另一个 Perfetto 名称"},
       "SELECT * FROM slice"},
      {"thread_track",
       {"Perfetto: tracks that are threads", "Perfetto：属于线程的 track"},
       "SELECT id, trace_id, name, type, utid FROM track WHERE utid IS NOT NULL"},
      {"thread_slice",
       {"Perfetto's slices.with_context: slices of threads with thread and process",
        "Perfetto 的 slices.with_context：带线程与进程的 slice"},
       "SELECT slice.*, thread.utid, thread.tid, thread.name AS thread_name, "
       "thread.is_main_thread, process.upid, process.pid, process.name AS process_name "
       "FROM slice JOIN track ON slice.track_id = track.id JOIN thread ON track.utid = thread.utid "
       "LEFT JOIN process ON thread.upid = process.upid"},
      {"gpu_slice",
       {"Perfetto's name of kernel", "kernel 的 Perfetto 名称"},
       "SELECT slice_id AS id, * FROM kernel"},
      // Holistic Trace Analysis
      {"hta_df",
       {"the data frame of Holistic Trace Analysis; times in µs, -1 for none",
        "Holistic Trace Analysis 的数据表；时间为微秒，-1 表示没有"},
       "SELECT s.id AS \"index\", CASE s.category WHEN 'framework_op' THEN 'cpu_op' "
       "WHEN 'input_stage' THEN 'cpu_op' WHEN 'step' THEN 'user_annotation' "
       "WHEN 'python_frame' THEN 'python_function' WHEN 'module_frame' THEN 'python_function' "
       "WHEN 'runtime_call' THEN 'cuda_runtime' WHEN 'sync' THEN 'cuda_sync' "
       "WHEN 'collective' THEN 'kernel' WHEN 'memcpy' THEN 'gpu_memcpy' "
       "WHEN 'memset' THEN 'gpu_memset' ELSE s.category END AS cat, s.name, t.pid, t.tid, "
       "s.ts / 1000.0 AS ts, s.dur / 1000.0 AS dur, coalesce(k.stream, -1) AS stream, "
       "coalesce(k.correlation, c.correlation, -1) AS correlation, "
       "coalesce(st.number, -1) AS iteration, coalesce(k.launch_slice_id, "
       "(SELECT min(slice_id) FROM kernel WHERE launch_slice_id = c.slice_id), -1) "
       "AS index_correlation, tr.rank "
       "FROM slice s JOIN track t ON t.id = s.track_id JOIN trace tr ON tr.trace_id = s.trace_id "
       "LEFT JOIN kernel k ON k.slice_id = s.id LEFT JOIN call c ON c.slice_id = s.id "
       "LEFT JOIN step st ON st.step_id = s.step_id"},
      // Nsight Systems
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       {"Nsight Systems: kernels", "Nsight Systems：kernel"},
       "SELECT ts AS start, ts + dur AS \"end\", device AS deviceId, stream AS streamId, "
       "correlation AS correlationId, grid_x AS gridX, grid_y AS gridY, grid_z AS gridZ, "
       "block_x AS blockX, block_y AS blockY, block_z AS blockZ, "
       "registers AS registersPerThread, name_id AS shortName, name_id AS demangledName, "
       "slice_id, trace_id FROM kernel WHERE kind IN ('kernel', 'collective')"},
      {"CUPTI_ACTIVITY_KIND_MEMCPY",
       {"Nsight Systems: copies", "Nsight Systems：拷贝"},
       "SELECT ts AS start, ts + dur AS \"end\", bytes, CASE WHEN name LIKE '%HtoD%' THEN 1 "
       "WHEN name LIKE '%DtoH%' THEN 2 WHEN name LIKE '%DtoD%' THEN 8 "
       "WHEN name LIKE '%PtoP%' THEN 10 ELSE 0 END AS copyKind, device AS deviceId, "
       "stream AS streamId, correlation AS correlationId, slice_id, trace_id "
       "FROM kernel WHERE kind = 'memcpy'"},
      {"CUPTI_ACTIVITY_KIND_MEMSET",
       {"Nsight Systems: memsets", "Nsight Systems：置零"},
       "SELECT ts AS start, ts + dur AS \"end\", bytes, device AS deviceId, stream AS streamId, "
       "correlation AS correlationId, slice_id, trace_id FROM kernel WHERE kind = 'memset'"},
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"Nsight Systems: runtime and driver calls; globalTid is utid",
        "Nsight Systems：运行时与驱动调用；globalTid 即 utid"},
       "SELECT s.ts AS start, s.end_ts AS \"end\", t.utid AS globalTid, "
       "c.correlation AS correlationId, s.name_id AS nameId, c.slice_id, c.trace_id "
       "FROM call c JOIN slice s ON s.id = c.slice_id JOIN track t ON t.id = s.track_id"},
      {"NVTX_EVENTS",
       {"Nsight Systems: annotations", "Nsight Systems：标注"},
       "SELECT s.ts AS start, s.end_ts AS \"end\", s.name AS text, s.name_id AS textId, "
       "t.utid AS globalTid, s.id AS slice_id, s.trace_id "
       "FROM slice s JOIN track t ON t.id = s.track_id "
       "WHERE s.category IN ('user_annotation', 'step')"},
      {"StringIds",
       {"Nsight Systems: texts", "Nsight Systems：文本"},
       "SELECT id, value FROM strings"},
  });
  return kViews;
}

}  // namespace stepscope::query
