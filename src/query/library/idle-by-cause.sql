-- Why devices idle: how often and how long, by cause.
-- 设备为何空闲：按原因统计次数与时长。
-- usage: idle-by-cause
SELECT device, cause, count(*) AS gaps, ms(sum(dur)) AS total_ms, us(median(dur)) AS median_us,
       us(max(dur)) AS longest_us
FROM idle
GROUP BY device, cause
ORDER BY sum(dur) DESC, device, cause;
