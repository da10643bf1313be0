-- Which profiles could not be read, or only in part, and why.
SELECT path, bytes, status, error_code, error, day, job_id, host
FROM profiles_once
WHERE status <> 'ok'
