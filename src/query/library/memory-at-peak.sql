-- What was allocated when a device's memory was fullest: live blocks by who asked for them.
-- 设备内存最满时的存活分配，按申请者统计。
-- usage: memory-at-peak
WITH peak AS (
  -- SQLite takes ts from the row that has the maximum.
  SELECT device, max(total_allocated) AS allocated, ts FROM memory GROUP BY device
), latest AS (
  SELECT memory.device, address, max(id) AS id
  FROM memory JOIN peak ON peak.device = memory.device
  WHERE memory.ts <= peak.ts
  GROUP BY memory.device, address
)
SELECT latest.device, coalesce(memory.op, '(not in the file)') AS asked_by, count(*) AS blocks,
       round(sum(memory.bytes) / 1048576.0, 3) AS mib
FROM latest JOIN memory ON memory.id = latest.id
WHERE memory.bytes > 0
GROUP BY 1, 2
ORDER BY sum(memory.bytes) DESC, 2
LIMIT 30;
