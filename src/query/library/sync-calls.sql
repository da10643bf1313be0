-- Calls that make the host wait for the device, and the op around each.
-- 让主机等待设备的调用，以及外围的算子。
-- usage: sync-calls
SELECT call.name AS call, op.name AS inside, count(*) AS calls, ms(sum(call.dur)) AS total_ms,
       us(max(call.dur)) AS longest_us
FROM call c JOIN slice call ON call.id = c.slice_id LEFT JOIN slice op ON op.id = c.op_slice_id
WHERE call.name REGEXP 'Synchronize|StreamWaitEvent|cudaMemcpy$|hipMemcpy$|EventQuery'
GROUP BY 1, 2
ORDER BY sum(call.dur) DESC, 1, 2
LIMIT 30;
