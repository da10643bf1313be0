-- The last five runs of a series against the up to twenty before, by their means. Whether a change
-- is more than chance says `python -m stepscope.fleet regressions`.
SELECT
  job_id, device_name, world_size, framework_version,
  COUNT(*) AS runs,
  AVG(CASE WHEN age > 5 AND age <= 25 THEN step_ns END) AS before_ns,
  AVG(CASE WHEN age <= 5 THEN step_ns END) AS after_ns,
  AVG(CASE WHEN age <= 5 THEN step_ns END) / AVG(CASE WHEN age > 5 AND age <= 25 THEN step_ns END) - 1
    AS delta_rel
FROM (
  SELECT
    runs.*,
    ROW_NUMBER() OVER (
      PARTITION BY job_id, device_name, world_size, framework_version
      ORDER BY start_unix_ns DESC, run_id DESC
    ) AS age
  FROM runs
) aged
WHERE age <= 25
GROUP BY job_id, device_name, world_size, framework_version
HAVING COUNT(*) >= 9
