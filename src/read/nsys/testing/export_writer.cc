#include "read/nsys/testing/export_writer.h"

#include <fmt/format.h>

namespace stepscope::nsys {
namespace {

constexpr long long kFirst = GlobalTid(11, 0), kSecond = GlobalTid(12, 0);

std::string Rows(const char* table, const char* columns, const char* values) {
  return fmt::format("INSERT INTO {}({}) VALUES {};", table, columns, values);
}

std::string Strings() {
  return "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);" +
         Rows("StringIds", "id, value",
              "(1,'cudaLaunchKernel_v7000'),(2,'void gemm<128>(float*)'),(3,'gemm'),"
              "(4,'poll'),(5,'main'),(6,'cudaMemcpyAsync_v3020_ptsz'),(7,'ncclAllReduce'),"
              "(8,'sample_leaf'),(9,'/home/somebody/secret/libx.so'),(10,'read'),"
              "(11,'cudaGraphLaunch_v10000'),(12,CAST(x'6BFF6C' AS TEXT))");
}

std::string Meta(bool newest) {
  const std::string table = newest ? "META_DATA_EXPORT" : "EXPORT_META_DATA";
  return fmt::format(
      "CREATE TABLE {0}(name TEXT, value TEXT);"
      "INSERT INTO {0} VALUES('EXPORT_PRODUCT_VERSION','{1}'),('EXPORT_SCHEMA_VERSION','{2}');",
      table, newest ? "2026.2.1.210" : "2022.2.1.31", newest ? "3.25.0" : "2.9.1");
}

std::string Machine() {
  return fmt::format(
      "CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
      "INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','TOKEN=hidden'),"
      "('CUDA_GRAPH_TRACE_OPTIONS:MODE','graph');"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES('Hostname','secret-host'),"
      "('x',CAST(x'FF' AS TEXT));"
      "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
      "INSERT INTO PROCESSES VALUES({0},11,'/home/somebody/bin/python3'),({1},12,'python3');"
      "CREATE TABLE ThreadNames(nameId INTEGER, priority INTEGER, globalTid INTEGER);"
      "INSERT INTO ThreadNames VALUES(5,20,{2});"
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000);"
      "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER,"
      " computeMajor INTEGER, computeMinor INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES(0,'NVIDIA H100',85899345920,132,9,0),"
      "(1,'NVIDIA H100',85899345920,132,9,0);"
      // The second process sees its GPU as number 0.
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(0,0,11),(1,0,12);"
      "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, severity INTEGER, text TEXT);"
      "INSERT INTO DIAGNOSTIC_EVENT VALUES(0,1,'fine'),(5,3,'lost 7 events, see"
      " /home/somebody/x.log');",
      kFirst, kSecond, kFirst + 1);
}

// Of every schema since 2022 the columns that Stepscope reads, others as they come.
std::string Device(bool newest) {
  const std::string graph = newest ? ", graphNodeId INTEGER, graphId INTEGER" : "";
  return fmt::format(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
      " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
      " demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER,"
      " gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
      " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER{0});"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,contextId,streamId,correlationId,"
      "globalPid,demangledName,shortName,registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,"
      "staticSharedMemory,dynamicSharedMemory) VALUES"
      "(1300,1900,0,1,7,100,{1},2,3,32,264,1,1,128,1,1,1024,16),"
      "(1310,1920,0,1,7,100,{2},2,3,32,264,1,1,128,1,1,1024,16),"
      "(NULL,1920,0,1,7,101,{2},2,3,32,264,1,1,128,1,1,1024,16);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER,"
      " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind "
      "INTEGER,"
      " srcKind INTEGER, dstKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1000,1200,0,7,99,{1},4096,1,0,2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER,"
      " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, memKind "
      "INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(1210,1220,0,7,98,{1},64,2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER,"
      " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(2000,2500,0,7,102,{1},5);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, deviceId "
      "INTEGER,"
      " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(1800,1950,0,7,103,{1},3);"
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER, globalPid INTEGER, deviceId "
      "INTEGER,"
      " address INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(900,{1},0,4096,512,2,0),"
      "(2600,{1},0,4096,512,2,1);"
      "CREATE TABLE GPU_METRICS(timestamp INTEGER, typeId INTEGER, metricId INTEGER, value REAL);"
      "INSERT INTO GPU_METRICS VALUES(1000,257,3,87.5);"
      "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, metricId INTEGER, metricName TEXT);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(257,3,'SMs Active [Throughput %]');",
      graph, kFirst, kSecond);
}

std::string Host() {
  return fmt::format(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER,"
      " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1100,1150,0,{0},100,1,0),"
      "(1110,1160,0,{1},100,1,0),(950,990,0,{0},99,6,0),(1990,1995,0,{0},102,11,0);"
      "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
      " globalTid INTEGER, textId INTEGER, domainId INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES(0,NULL,75,'NCCL',{0},NULL,1),"
      "(900,2700,59,'step 3',{0},NULL,0),"
      "(1050,1200,59,'aten::mm, seq = 17, op_id = 4, sizes = [[8, 4], [4, 2]]',{0},NULL,0),"
      "(1105,1155,59,NULL,{0},7,1),(1500,NULL,34,'loss',{0},NULL,0),"
      "(2650,NULL,60,'open range',{1},NULL,0),(NULL,5,59,'no start',{0},NULL,0);"
      "CREATE TABLE OSRT_API(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
      " nameId INTEGER, returnValue INTEGER, nestingLevel INTEGER);"
      "INSERT INTO OSRT_API VALUES(1960,1980,27,{0},4,0,0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD(start INTEGER, end INTEGER, eventClass INTEGER,"
      " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, overheadType INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES(1120,1140,103,{0},100,9,8),"
      "(2600,2610,103,{0},0,9,3);"
      "CREATE TABLE SCHED_EVENTS(start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER,"
      " threadState INTEGER);"
      "INSERT INTO SCHED_EVENTS VALUES(10,0,1,{0},0),(1962,0,0,{0},3),(1978,0,1,{0},0);"
      "CREATE TABLE COMPOSITE_EVENTS(id INTEGER PRIMARY KEY, start INTEGER, globalTid INTEGER);"
      "INSERT INTO COMPOSITE_EVENTS VALUES(1,1700,{0});"
      "CREATE TABLE SAMPLING_CALLCHAINS(id INTEGER, symbol INTEGER, module INTEGER,"
      " stackDepth INTEGER, PRIMARY KEY(id, stackDepth));"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES(1,8,9,0),(1,5,9,1);"
      "CREATE TABLE OSRT_FILE_ACCESS_EVENTS(fileAccessId INTEGER, threadId INTEGER,"
      " startedAt INTEGER, endedAt INTEGER, eventType INTEGER, apiCallId INTEGER);"
      "INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES(0,1,100,300,3,10);"
      "CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS(fileAccessId INTEGER, processId INTEGER,"
      " filePath TEXT);"
      "INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES(0,11,'/home/somebody/data/train.bin');"
      "CREATE TABLE CUBLAS_EVENTS(start INTEGER, end INTEGER, eventClass INTEGER,"
      " globalTid INTEGER, nameId INTEGER);"
      "INSERT INTO CUBLAS_EVENTS VALUES(1060,1190,1,{0},12);"
      "CREATE TABLE NET_NIC_METRIC(timestamp INTEGER, value INTEGER);"
      "INSERT INTO NET_NIC_METRIC VALUES(1,2);",
      kFirst + 1, kSecond + 1);
}

}  // namespace

std::string ExportSql(bool newest) {
  return Strings() + Meta(newest) + Machine() + Device(newest) + Host();
}

}  // namespace stepscope::nsys
