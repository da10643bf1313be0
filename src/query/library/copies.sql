-- Copies by direction: bytes, time, bandwidth, and whether the host memory was pageable.
-- 按方向统计拷贝：字节数、时间、带宽，以及主机内存是否可分页。
-- usage: copies
SELECT name AS copy, count(*) AS copies, sum(bytes) AS bytes, ms(sum(dur)) AS total_ms,
       round(1.0 * sum(bytes) / sum(dur), 2) AS gb_per_s
FROM kernel
WHERE kind = 'memcpy'
GROUP BY name
ORDER BY sum(dur) DESC, name;
