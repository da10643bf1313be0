-- The shapes that an op is called with, the most expensive first.
-- 某个算子的输入形状，开销最大的在前。
-- usage: shapes-of OP
SELECT op.input_dims, op.input_types, count(*) AS calls, ms(sum(slice.device_ns)) AS device_ms,
       ms(sum(slice.dur)) AS host_ms
FROM op JOIN slice ON slice.id = op.slice_id
WHERE slice.name = coalesce(?1, 'aten::mm')
GROUP BY op.input_dims, op.input_types
ORDER BY sum(slice.device_ns) DESC, calls DESC, op.input_dims;
