-- Ranks of every run once: a run may have been joined again when more of its ranks had come, and
-- may lie in a second folder as a copy.
SELECT *
FROM (
  SELECT
    ranks.*,
    ROW_NUMBER() OVER (
      PARTITION BY COALESCE(ranks.profile_id, ranks.path)
      ORDER BY ranks.ranks DESC, ranks.path, ranks.run_key
    ) AS joining
  FROM ranks
  JOIN profiles_newest
    ON profiles_newest.path = ranks.path AND profiles_newest.profile_id = ranks.profile_id
) joinings
WHERE joining = 1
