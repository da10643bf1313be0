#include "read/rocpd/testing/rocpd_writer.h"

#include <fmt/format.h>

namespace stepscope::rocpd {
namespace {

std::string Descriptions(const std::string& suffix, int pid, int gpu) {
  return fmt::format(
      "CREATE TABLE rocpd_metadata{0}(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"
      "INSERT INTO rocpd_metadata{0}(tag, value) VALUES('schema_version','3');"
      "CREATE TABLE rocpd_string{0}(id INTEGER PRIMARY KEY, guid TEXT, string TEXT);"
      "INSERT INTO rocpd_string{0}(id, string) VALUES(1,'KERNEL_DISPATCH'),"
      "(2,'HIP_RUNTIME_API_EXT'),(3,'MARKER_CORE_RANGE_API'),(4,'hipLaunchKernel'),"
      "(5,'hipMemcpyAsync'),(6,'roctxThreadRangeA'),(7,'MEMORY_COPY'),(8,'ROCDECODE_API'),"
      "(9,'rocDecCreateDecoder');"
      "CREATE TABLE rocpd_info_node{0}(id INTEGER PRIMARY KEY, hash BIGINT, hostname TEXT);"
      "INSERT INTO rocpd_info_node{0} VALUES(77,4711,'secret-host');"
      "CREATE TABLE rocpd_info_process{0}(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER,"
      " command TEXT, environment TEXT);"
      "INSERT INTO rocpd_info_process{0} VALUES(1,77,{1},'/home/somebody/train.py','TOKEN=hidden');"
      "CREATE TABLE rocpd_info_thread{0}(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER,"
      " tid INTEGER, name TEXT);"
      "INSERT INTO rocpd_info_thread{0} VALUES(1,77,1,{2},'trainer');"
      "CREATE TABLE rocpd_info_agent{0}(id INTEGER PRIMARY KEY, nid INTEGER, type TEXT,"
      " type_index INTEGER, product_name TEXT, extdata TEXT);"
      "INSERT INTO rocpd_info_agent{0} VALUES(0,77,'CPU',0,'EPYC','{{}}'),"
      "(4,77,'GPU',{3},'AMD Instinct MI300X','{{\"node_id\":4,\"cu_count\":304}}');"
      "CREATE TABLE rocpd_info_kernel_symbol{0}(id INTEGER PRIMARY KEY, kernel_name TEXT,"
      " display_name TEXT, arch_vgpr_count INTEGER);"
      "INSERT INTO rocpd_info_kernel_symbol{0} VALUES(8,'gemm.kd','gemm(float*)',96);"
      "CREATE TABLE rocpd_info_pmc{0}(id INTEGER PRIMARY KEY, agent_id INTEGER, name TEXT);"
      "INSERT INTO rocpd_info_pmc{0} VALUES(3,4,'SQ_WAVES');"
      "CREATE TABLE rocpd_event{0}(id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER,"
      " correlation_id INTEGER, extdata TEXT);"
      "INSERT INTO rocpd_event{0} VALUES(1,2,5,0,'{{}}'),(2,1,5,0,'{{}}'),(3,2,6,0,'{{}}'),"
      "(4,7,6,0,'{{}}'),(5,3,7,0,'{{\"message\":\"step 1\"}}'),"
      "(6,3,8,0,'{{\"message\":\"aten::mm, seq = 3, sizes = [[8, 4], [4, 2]]\"}}'),"
      "(7,8,9,0,'{{}}');"
      "CREATE TABLE rocpd_pmc_event{0}(id INTEGER PRIMARY KEY, event_id INTEGER, pmc_id INTEGER,"
      " value REAL);"
      "INSERT INTO rocpd_pmc_event{0} VALUES(1,2,3,12.5),(2,99,3,1.0);",
      suffix, pid, pid + 1, gpu);
}

// start, end, event, name of the regions; the kernel, the copy and the allocations stand below.
std::string TimesInRows(const std::string& suffix) {
  return fmt::format(
      "CREATE TABLE rocpd_region{0}(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER,"
      " name_id INTEGER, start BIGINT, end BIGINT, event_id INTEGER);"
      "INSERT INTO rocpd_region{0}(pid, tid, name_id, start, end, event_id) VALUES"
      "(1,1,4,1000,1100,1),(1,1,5,1200,1300,3),(1,1,6,900,3000,5),(1,1,6,950,1150,6),"
      "(1,1,9,1310,1320,7);"
      "CREATE TABLE rocpd_kernel_dispatch{0}(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER,"
      " agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT,"
      " end BIGINT, group_segment_size INTEGER, workgroup_size_x INTEGER,"
      " workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,"
      " grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);"
      "INSERT INTO rocpd_kernel_dispatch{0} VALUES"
      "(1,1,1,4,8,2,3,2000,2840,64,256,1,1,1000,2,1,2),"
      "(2,1,1,4,8,2,3,NULL,NULL,64,256,1,1,1000,2,1,2);"
      "CREATE TABLE rocpd_memory_copy{0}(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER,"
      " start BIGINT, end BIGINT, src_agent_id INTEGER, dst_agent_id INTEGER, size INTEGER,"
      " queue_id INTEGER, stream_id INTEGER, event_id INTEGER);"
      "INSERT INTO rocpd_memory_copy{0} VALUES(1,1,1,1500,1600,0,4,4096,2,3,4);"
      "CREATE TABLE rocpd_memory_allocate{0}(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER,"
      " agent_id INTEGER, type TEXT, level TEXT, start BIGINT, end BIGINT, address INTEGER,"
      " size INTEGER, event_id INTEGER);"
      "INSERT INTO rocpd_memory_allocate{0} VALUES(1,1,1,4,'ALLOC','REAL',800,810,4096,65536,0),"
      "(2,1,1,4,'FREE','REAL',2900,2910,4096,0,0);",
      suffix);
}

std::string TimesApart(const std::string& suffix) {
  return fmt::format(
      "CREATE TABLE rocpd_track{0}(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER,"
      " agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, name_id INTEGER);"
      "INSERT INTO rocpd_track{0} VALUES(1,1,1,NULL,NULL,NULL,NULL),(2,1,1,4,2,3,NULL);"
      "CREATE TABLE rocpd_timestamp{0}(id INTEGER PRIMARY KEY, value BIGINT);"
      "INSERT INTO rocpd_timestamp{0} VALUES(1,1000),(2,1100),(3,1200),(4,1300),(5,900),(6,3000),"
      "(7,950),(8,1150),(9,1310),(10,1320),(11,2000),(12,2840),(13,1500),(14,1600),(15,800),"
      "(16,810),(17,2900),(18,2910);"
      "CREATE TABLE rocpd_region{0}(id INTEGER PRIMARY KEY, track_id INTEGER, name_id INTEGER,"
      " start_id INTEGER, end_id INTEGER, event_id INTEGER);"
      "INSERT INTO rocpd_region{0}(track_id, name_id, start_id, end_id, event_id) VALUES"
      "(1,4,1,2,1),(1,5,3,4,3),(1,6,5,6,5),(1,6,7,8,6),(1,9,9,10,7);"
      "CREATE TABLE rocpd_kernel_dispatch{0}(id INTEGER PRIMARY KEY, track_id INTEGER,"
      " kernel_id INTEGER, start_id INTEGER, end_id INTEGER, group_segment_size INTEGER,"
      " workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER,"
      " grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);"
      "INSERT INTO rocpd_kernel_dispatch{0} VALUES(1,2,8,11,12,64,256,1,1,1000,2,1,2),"
      "(2,2,8,98,99,64,256,1,1,1000,2,1,2);"
      "CREATE TABLE rocpd_memory_copy{0}(id INTEGER PRIMARY KEY, track_id INTEGER,"
      " start_id INTEGER, end_id INTEGER, src_agent_id INTEGER, dst_agent_id INTEGER,"
      " size INTEGER, event_id INTEGER);"
      "INSERT INTO rocpd_memory_copy{0} VALUES(1,2,13,14,0,4,4096,4);"
      "CREATE TABLE rocpd_memory_allocate{0}(id INTEGER PRIMARY KEY, track_id INTEGER, type TEXT,"
      " level TEXT, start_id INTEGER, end_id INTEGER, address INTEGER, size INTEGER,"
      " event_id INTEGER);"
      "INSERT INTO rocpd_memory_allocate{0} VALUES(1,2,'ALLOC','REAL',15,16,4096,65536,0),"
      "(2,2,'FREE','REAL',17,18,4096,0,0);",
      suffix);
}

}  // namespace

std::string RocpdSql(Schema schema) {
  std::string sql;
  int number = 0;
  for (const std::string suffix : {"_018f_a", "_018f_b"}) {
    sql += Descriptions(suffix, 20 + 10 * number, number);
    sql += schema == Schema::kTimesInRows ? TimesInRows(suffix) : TimesApart(suffix);
    ++number;
  }
  // Plain names are views over the tables of all processes.
  return sql +
         "CREATE VIEW rocpd_region AS SELECT * FROM rocpd_region_018f_a UNION ALL SELECT * FROM "
         "rocpd_region_018f_b;";
}

std::string RpdSql() {
  return "CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT);"
         "INSERT INTO rocpd_string VALUES(1,''),(2,'hipLaunchKernel'),(3,'hipMemcpyAsync'),"
         "(4,'UserMarker'),(5,'step 1'),(6,'aten::mm, seq = 3, sizes = [[8, 4]]'),"
         "(7,'KernelExecution'),(8,'CopyHostToDevice'),(9,'gemm(float*)');"
         "CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"
         "CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER,"
         " end INTEGER, apiName_id INTEGER, args_id INTEGER);"
         "INSERT INTO rocpd_api VALUES(1,20,21,900,3000,4,5),(2,20,21,950,1150,4,6),"
         "(3,20,21,1000,1100,2,1),(4,20,21,1200,1300,3,1);"
         "CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER,"
         " sequenceId INTEGER, start INTEGER, end INTEGER, description_id INTEGER,"
         " opType_id INTEGER);"
         "INSERT INTO rocpd_op VALUES(1,0,2,0,2000,2840,9,7),(2,0,0,0,1500,1600,1,8);"
         "CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);"
         "INSERT INTO rocpd_api_ops VALUES(1,3,1),(2,4,2);"
         "CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT, gridX INTEGER,"
         " gridY INTEGER, gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER,"
         " workgroupZ INTEGER, groupSegmentSize INTEGER);"
         "INSERT INTO rocpd_kernelapi VALUES(3,'0x0',4,2,1,256,1,1,64);"
         "CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT, size INTEGER);"
         "INSERT INTO rocpd_copyapi VALUES(4,'0x0',4096);"
         "CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INTEGER,"
         " monitorType TEXT, start INTEGER, end INTEGER, value TEXT);"
         "INSERT INTO rocpd_monitor VALUES(1,'gpu',0,'sclk',1000,2000,'2100'),"
         "(2,'gpu',0,'sclk',2000,3000,'n/a');";
}

}  // namespace stepscope::rocpd
