-- Hosts that are slower than their peers by more than 5 % in three jobs or more.
SELECT
  host,
  COUNT(*) AS jobs,
  SUM(CASE WHEN ratio > 1.05 THEN 1 ELSE 0 END) AS slow_jobs,
  AVG(ratio) AS mean_ratio,
  MAX(ratio) AS max_ratio
FROM (
  SELECT host, job_id, AVG(own_ns / CAST(peers_ns AS DOUBLE)) AS ratio
  FROM host_times
  WHERE peers >= 3 AND peers_ns > 0
  GROUP BY host, job_id
) jobs_of_host
GROUP BY host
HAVING SUM(CASE WHEN ratio > 1.05 THEN 1 ELSE 0 END) >= 3
  AND 2 * SUM(CASE WHEN ratio > 1.05 THEN 1 ELSE 0 END) > COUNT(*)
