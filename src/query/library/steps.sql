-- Every step: how long, what the device did, how much of it idled.
-- 每一步：时长、设备在做什么、空闲多少。
-- usage: steps
SELECT trace_id, number AS step, ms(dur) AS ms, ms(compute_ns) AS compute_ms,
       ms(exposed_communication_ns) AS communication_ms, ms(exposed_copy_ns) AS copy_ms,
       ms(idle_ns) AS idle_ms, used, why_unused
FROM step
ORDER BY trace_id, ts;
