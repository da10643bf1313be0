-- Ranks side by side: step time, busy time and waiting in collectives, for several profiles at once.
-- 多个 rank 的对比：步时间、忙碌时间与集合通信等待；需同时打开多个文件。
-- usage: rank-skew
SELECT trace.trace_id, trace.rank, trace.host,
       (SELECT ms(median(dur)) FROM step WHERE step.trace_id = trace.trace_id AND used) AS step_ms,
       (SELECT ms(union_dur(ts, dur)) FROM kernel WHERE kernel.trace_id = trace.trace_id) AS busy_ms,
       (SELECT ms(sum(dur)) FROM kernel
        WHERE kernel.trace_id = trace.trace_id AND kind = 'collective') AS collective_ms
FROM trace
ORDER BY trace.rank, trace.trace_id;
