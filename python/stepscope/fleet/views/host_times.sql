-- What a host itself takes for a step, against the other profiles of the same run. Ranks of a job
-- wait for each other, so the time in which they wait is left out.
SELECT
  host,
  job_id,
  run_id,
  own_ns,
  MAX(CASE WHEN 2 * place IN (peers, peers + 1) THEN own_ns END)
    OVER (PARTITION BY job_id, run_id) AS peers_ns,
  peers
FROM (
  SELECT
    owned.*,
    ROW_NUMBER() OVER (PARTITION BY job_id, run_id ORDER BY own_ns) AS place,
    COUNT(*) OVER (PARTITION BY job_id, run_id) AS peers
  FROM (
    SELECT
      host,
      job_id,
      COALESCE(run_id, '') AS run_id,
      window_ns - exposed_communication_ns - COALESCE(idle_communication_wait_ns, 0) AS own_ns
    FROM profiles_once
    WHERE host IS NOT NULL AND job_id IS NOT NULL AND step_median_ns IS NOT NULL AND window_ns > 0
  ) owned
) ranked
