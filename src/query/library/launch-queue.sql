-- How long work waits between its launch and its start: the depth of the launch queue.
-- 任务从启动到开始执行的等待时间：启动队列的深度。
-- usage: launch-queue
SELECT slice.name AS call, count(*) AS launches, us(median(queue_delay_ns)) AS median_us,
       us(percentile(queue_delay_ns, 95)) AS p95_us, us(max(queue_delay_ns)) AS longest_us,
       us(median(slice.dur)) AS median_call_us
FROM call JOIN slice ON slice.id = call.slice_id
WHERE queue_delay_ns IS NOT NULL
GROUP BY slice.name
ORDER BY launches DESC, call;
