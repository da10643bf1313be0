-- Findings of every content once: copies and second readings have the same rows.
SELECT DISTINCT
  profile_id, trace, place, rule, severity, confidence,
  saving_lo_ns, saving_hi_ns, saving_likely_ns, step_ns, sentence, event_name
FROM findings
