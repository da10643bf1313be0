-- How versions of framework and driver compare within a job.
SELECT
  job_id, framework, framework_version, driver_version, device_name,
  COUNT(*) AS profiles,
  AVG(step_median_ns) AS mean_step_ns,
  MIN(step_median_ns) AS min_step_ns
FROM profiles_once
WHERE job_id IS NOT NULL AND step_median_ns IS NOT NULL
GROUP BY job_id, framework, framework_version, driver_version, device_name
