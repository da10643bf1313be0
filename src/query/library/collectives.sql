-- Collectives by name, group and size: calls, time and bandwidth of the bytes that the file states.
-- 按名称、进程组和大小统计集合通信：次数、时间与带宽。
-- usage: collectives
SELECT coalesce(collective.name, short_name(kernel.name)) AS collective, group_name, group_size,
       collective.bytes, count(*) AS calls, ms(sum(kernel.dur)) AS total_ms,
       us(median(kernel.dur)) AS median_us,
       round(1.0 * sum(collective.bytes) / sum(kernel.dur), 2) AS gb_per_s
FROM collective JOIN kernel ON kernel.slice_id = collective.slice_id
GROUP BY 1, 2, 3, 4
ORDER BY sum(kernel.dur) DESC, 1, 4;
