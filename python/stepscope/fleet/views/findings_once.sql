-- Findings of every content once: those of the reading that profiles_once has. Copies and second
-- readings by the same version repeat places; rows without a version are older than that column.
SELECT
  profile_id, trace, place, rule, severity, confidence,
  saving_lo_ns, saving_hi_ns, saving_likely_ns, step_ns, sentence, event_name, stepscope_version
FROM (
  SELECT
    findings.*,
    ROW_NUMBER() OVER (
      PARTITION BY findings.profile_id, trace, place
      ORDER BY CASE WHEN findings.stepscope_version IS NULL THEN 1 ELSE 0 END, rule, saving_lo_ns, saving_hi_ns
    ) AS reading
  FROM findings
  JOIN profiles_once ON profiles_once.profile_id = findings.profile_id
  WHERE COALESCE(findings.stepscope_version, profiles_once.stepscope_version) = profiles_once.stepscope_version
) readings
WHERE reading = 1
