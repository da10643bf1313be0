-- The newest state of each path, read by the newest version; copies are still there.
SELECT *
FROM (
  SELECT
    numbered.*,
    ROW_NUMBER() OVER (
      PARTITION BY path
      ORDER BY
        mtime_unix_ns DESC,
        CASE status WHEN 'ok' THEN 0 WHEN 'partial' THEN 1 ELSE 2 END,
        version_number DESC
    ) AS state_number
  FROM (
    SELECT
      profiles.*,
      CAST(SPLIT_PART(stepscope_version, '.', 1) AS BIGINT) * 1000000
        + CAST(SPLIT_PART(stepscope_version, '.', 2) AS BIGINT) * 1000
        + CAST(SPLIT_PART(stepscope_version, '.', 3) AS BIGINT) AS version_number
    FROM profiles
  ) numbered
) newest
WHERE state_number = 1
