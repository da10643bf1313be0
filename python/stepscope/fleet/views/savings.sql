-- Which finding would save most over the fleet, at least.
SELECT
  findings_once.rule,
  COUNT(DISTINCT findings_once.profile_id) AS profiles,
  COUNT(DISTINCT profiles_once.job_id) AS jobs,
  SUM(weight * device_seconds) / 3600.0 AS device_hours,
  SUM(weight * device_seconds * saving_lo_ns / CAST(step_ns AS DOUBLE)) / 3600.0 AS saved_device_hours_at_least,
  SUM(weight * device_seconds * saving_likely_ns / CAST(step_ns AS DOUBLE)) / 3600.0 AS saved_device_hours_likely,
  SUM(weight * device_seconds * saving_hi_ns / CAST(step_ns AS DOUBLE)) / 3600.0 AS saved_device_hours_at_most
FROM findings_once
JOIN profiles_once ON profiles_once.profile_id = findings_once.profile_id
WHERE step_ns > 0 AND device_seconds > 0
GROUP BY findings_once.rule
