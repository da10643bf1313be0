-- Which jobs waste most device hours, and why: time in which no kernel ran.
SELECT
  COALESCE(job_id, '(no job)') AS job_id,
  bound_by,
  COUNT(*) AS profiles,
  SUM(weight * device_seconds) / 3600.0 AS device_hours,
  SUM(weight * device_seconds * (window_ns - compute_ns) / CAST(window_ns AS DOUBLE)) / 3600.0 AS wasted_device_hours,
  SUM(weight * device_seconds * idle_ns / CAST(window_ns AS DOUBLE)) / 3600.0 AS idle_device_hours,
  SUM(weight * device_seconds * exposed_communication_ns / CAST(window_ns AS DOUBLE)) / 3600.0
    AS communication_device_hours
FROM profiles_once
WHERE window_ns > 0 AND device_seconds > 0
GROUP BY COALESCE(job_id, '(no job)'), bound_by
