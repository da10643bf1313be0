-- How busy each stream is: time with at least one piece of work, and the sum of all.
-- 每个流的忙碌程度：至少有一个任务的时间与任务时间之和。
-- usage: busy-streams
SELECT trace_id, device, stream, count(*) AS pieces, ms(union_dur(ts, dur)) AS busy_ms,
       ms(sum(dur)) AS sum_ms
FROM kernel
GROUP BY trace_id, device, stream
ORDER BY busy_ms DESC, device, stream;
