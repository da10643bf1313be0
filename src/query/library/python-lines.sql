-- Lines of Python by the device work launched inside; needs with_stack=True.
-- 按其内部启动的设备任务时间排列的 Python 代码行；需要 with_stack=True。
-- usage: python-lines [ROWS]
SELECT name AS line, count(*) AS calls, ms(sum(device_ns)) AS device_ms, ms(sum(dur)) AS host_ms
FROM slice
WHERE category IN ('python_frame', 'module_frame')
GROUP BY name
ORDER BY sum(device_ns) DESC, sum(dur) DESC, name
LIMIT coalesce(?1, 30);
