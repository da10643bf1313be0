-- Ranks that the others of their run wait for, by what all ranks would gain an hour of the run.
SELECT
  job_id, run_id, attempt, rank, world_size, host, path, cause, region, sentence, step_ns, excess_ns,
  gain_lo_ns, gain_hi_ns,
  CAST(gain_lo_ns AS DOUBLE) * world_size / step_ns AS device_hours_gained_an_hour
FROM ranks_once
WHERE straggler AND step_ns > 0
