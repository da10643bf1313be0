-- Idle stretches longer than so many microseconds, and what the launching thread did meanwhile.
-- 超过给定微秒数的空闲，以及启动线程当时在做的事。
-- usage: gaps-longer-than [MICROSECONDS]
SELECT idle.device, idle.ts, us(idle.dur) AS gap_us, idle.cause, idle.slice_id,
       blamed.name AS meanwhile, short_name(next.name) AS ended_by
FROM idle
LEFT JOIN slice blamed ON blamed.id = idle.slice_id
LEFT JOIN slice next ON next.id = idle.next_slice_id
WHERE idle.dur > coalesce(?1, 100) * 1000
ORDER BY idle.dur DESC, idle.ts
LIMIT 100;
