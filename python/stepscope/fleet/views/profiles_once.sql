-- Every content once: the newest state of each path, read by the newest version, copies left out.
SELECT *
FROM (
  SELECT
    profiles_newest.*,
    ROW_NUMBER() OVER (
      PARTITION BY COALESCE(profile_id, path)
      ORDER BY
        CASE status WHEN 'ok' THEN 0 WHEN 'partial' THEN 1 ELSE 2 END,
        version_number DESC,
        path
    ) AS copy_number
  FROM profiles_newest
) copies
WHERE copy_number = 1
