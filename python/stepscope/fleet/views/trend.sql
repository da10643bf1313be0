-- How long a job's step takes, day by day: the lower median of its profiles.
SELECT
  job_id,
  day,
  MAX(CASE WHEN 2 * place IN (profiles_of_day, profiles_of_day + 1) THEN step_median_ns END) AS step_ns,
  MAX(profiles_of_day) AS profiles
FROM (
  SELECT
    job_id,
    day,
    step_median_ns,
    ROW_NUMBER() OVER (PARTITION BY job_id, day ORDER BY step_median_ns) AS place,
    COUNT(*) OVER (PARTITION BY job_id, day) AS profiles_of_day
  FROM profiles_once
  WHERE job_id IS NOT NULL AND step_median_ns IS NOT NULL
) ranked
GROUP BY job_id, day
