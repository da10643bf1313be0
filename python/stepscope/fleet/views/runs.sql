-- A run of a job: the lower median of the step times of its profiles, and when it began.
SELECT
  job_id, run_id, device_name, world_size, framework_version,
  MIN(start_unix_ns) AS start_unix_ns,
  MAX(CASE WHEN 2 * place IN (profiles_of_run, profiles_of_run + 1) THEN step_median_ns END) AS step_ns,
  MAX(profiles_of_run) AS profiles
FROM (
  SELECT
    job_id,
    COALESCE(run_id, path) AS run_id,
    COALESCE(device_name, '') AS device_name,
    COALESCE(world_size, 1) AS world_size,
    COALESCE(framework_version, '') AS framework_version,
    COALESCE(start_unix_ns, mtime_unix_ns) AS start_unix_ns,
    step_median_ns,
    ROW_NUMBER() OVER (
      PARTITION BY job_id, COALESCE(run_id, path), COALESCE(device_name, ''), COALESCE(world_size, 1),
        COALESCE(framework_version, '')
      ORDER BY step_median_ns
    ) AS place,
    COUNT(*) OVER (
      PARTITION BY job_id, COALESCE(run_id, path), COALESCE(device_name, ''), COALESCE(world_size, 1),
        COALESCE(framework_version, '')
    ) AS profiles_of_run
  FROM profiles_once
  WHERE job_id IS NOT NULL AND step_median_ns IS NOT NULL
) ranked
GROUP BY job_id, run_id, device_name, world_size, framework_version
