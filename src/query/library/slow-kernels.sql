-- The kernels that take the most device time.
-- 占用设备时间最多的 kernel。
-- usage: slow-kernels [ROWS]
SELECT short_name(name) AS kernel, count(*) AS calls, ms(sum(dur)) AS total_ms,
       us(median(dur)) AS median_us, us(max(dur)) AS longest_us,
       round(100.0 * sum(dur) / (SELECT sum(dur) FROM kernel), 1) AS percent
FROM kernel
GROUP BY name_id
ORDER BY sum(dur) DESC, kernel
LIMIT coalesce(?1, 20);
