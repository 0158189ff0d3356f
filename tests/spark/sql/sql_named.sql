-- Queries that run on DuckDB, and return there what Spark returns: one in a line.
SELECT id, ti + si, si * i, i - b, b + i, ti * ti FROM t WHERE id < 5
SELECT ti * ti, id FROM t
SELECT big + 1 FROM t
SELECT -ti FROM t
SELECT abs(ti) FROM t
SELECT -big FROM t
SELECT i / 4, b / i FROM t WHERE i <> 0
SELECT b / i FROM t
SELECT i DIV 3, b DIV i, i % 3, b % 7, pmod(i, 5), pmod(b, -3) FROM t WHERE i <> 0
SELECT big DIV -1 FROM t
SELECT i % 0 FROM t
SELECT d / 2, d * 3, d + i, f + f, f * i, f * 2, f + si, f + b, x % 0.7D FROM t
SELECT x / 0 FROM t
SELECT p + q, p - q, p * q, p / q, p % q FROM t WHERE q <> 0
SELECT p + 1, p * 2, p / 3, p + i, p * i, p * -1, p + b, p / i FROM t WHERE i <> 0
SELECT p + 1.5, 0.05 * p, 1.50 / 3, 2.0 * 3, 10.0 / 3, p * d, p + f FROM t
SELECT p / p FROM t
SELECT q % p FROM t
SELECT -p, abs(p), -d, abs(d), abs(f), -5, - 5 + i FROM t
SELECT i = b, i < d, p > i, p = x, f = d, d = d, d < 1.0, flag = (i > 2), s = w, dt > DATE '2024-01-01', ts > nt, dt < ts, dt = nt FROM t
SELECT i <=> NULL, i <=> si, s <=> w, d <=> d, NOT flag, flag AND i > 1, flag OR i > 1 FROM t
SELECT i IN (1, 2, 3), i IN (1, NULL), b NOT IN (7, 10), p IN (1.5, 12.34), s IN ('pen', ''), d IN (0.5D, 0D), dt IN (DATE '2024-02-29') FROM t
SELECT i BETWEEN 1 AND 7, p BETWEEN 0 AND 12.34, s BETWEEN 'a' AND 'q', dt BETWEEN DATE '2000-01-01' AND DATE '2024-01-01' FROM t
SELECT s LIKE 'p%', s LIKE '%\_%', s LIKE '%\%%', s NOT LIKE 'p__', s LIKE '%!%%' ESCAPE '!', s LIKE '' FROM t
SELECT i IS NULL, i IS NOT NULL, flag IS TRUE, flag IS NOT FALSE, isnull(i), isnotnull(s), isnan(d), isnan(f) FROM t
SELECT i = n, n = i, b < n, n = '1' FROM t
SELECT dt = day, day > dt, ts > day, nt < '2024-03-10 00:00:00', dt >= '2024-01-01', flag = 'true', x = '0.5' FROM t
SELECT CAST(i AS TINYINT), CAST(i AS BIGINT), CAST(i AS DOUBLE), CAST(i AS STRING), CAST(i AS DECIMAL(10,2)), CAST(i AS BOOLEAN), CAST(b AS FLOAT) FROM t
SELECT CAST(b AS INT) FROM t
SELECT CAST(i AS DECIMAL(2,0)) FROM t
SELECT CAST(x AS INT), CAST(x AS BIGINT), CAST(x AS TINYINT) FROM t
SELECT CAST(d AS INT) FROM t
SELECT CAST(d AS BIGINT) FROM t WHERE id = 4
SELECT CAST(f AS INT) FROM t WHERE id <> 4 AND NOT isnan(f)
SELECT CAST(f AS BIGINT) FROM t WHERE isnan(f)
SELECT CAST(p AS INT), CAST(q AS BIGINT), CAST(q AS DECIMAL(10,1)), CAST(p AS DOUBLE), CAST(p AS STRING), CAST(q AS BOOLEAN), CAST(p AS DECIMAL(20,6)) FROM t
SELECT CAST(0.01 AS STRING), CAST(-0.01 AS STRING), CAST(CAST(0 AS DECIMAL(2,2)) AS STRING), CAST(CAST(NULL AS DECIMAL(2,2)) AS STRING), CAST(0.01 AS STRING) || 'x', concat(CAST(-0.5 AS STRING), s) FROM t
SELECT CAST(CAST('-0.5' AS DECIMAL(38,38)) AS STRING), CAST(CAST('0.00000001' AS DECIMAL(10,8)) AS STRING), CAST(CAST('-0.5' AS DECIMAL(3,2)) AS STRING), CAST(CAST(p % 1 AS DECIMAL(2,2)) AS STRING) FROM t
SELECT CAST(p AS DECIMAL(5,2)) FROM t
SELECT si % CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT CAST(d AS INT) % si FROM t WHERE si IS NULL AND isnan(d)
SELECT mod(CAST(d AS INT), si) FROM t WHERE si IS NULL AND isnan(d)
SELECT CAST(d AS INT) / si FROM t WHERE si IS NULL AND isnan(d)
SELECT pmod(CAST(d AS INT), si) FROM t WHERE si IS NULL AND isnan(d)
SELECT si / CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT p / CAST(CAST(d AS INT) AS DECIMAL(5,0)) FROM t WHERE p IS NULL AND isnan(d)
SELECT si + CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT si - CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT si * CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT si + ti * CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT si & CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT si = CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT si < CAST(d AS INT) FROM t WHERE si IS NULL AND isnan(d)
SELECT CAST(d AS INT) + si FROM t WHERE si IS NULL AND isnan(d)
SELECT pmod(si, CAST(d AS INT)) FROM t WHERE si IS NULL AND isnan(d)
SELECT s || CAST(CAST(d AS INT) AS STRING), p + CAST(CAST(d AS INT) AS DECIMAL(5,0)) FROM t WHERE s IS NULL AND p IS NULL
SELECT id FROM t WHERE si * ti > 5 AND false
SELECT id, ti * ti > 5 AND false, ti * ti > 5 OR true FROM t
SELECT b BETWEEN 9000000001 AND CAST(d AS INT) FROM t WHERE b = 9000000000 AND isnan(d)
SELECT CAST(p AS TINYINT) FROM t
SELECT CAST(n AS INT), CAST(n AS BIGINT), CAST(n AS DECIMAL(6,2)), CAST(n AS DOUBLE) FROM t
SELECT CAST('300' AS TINYINT)
SELECT CAST('12345.678' AS DECIMAL(5,2))
SELECT CAST('1.005' AS DECIMAL(5,2)), CAST('-1.005' AS DECIMAL(5,2)), CAST(' 7 ' AS INT), CAST('.5' AS DOUBLE), CAST('5.' AS DOUBLE)
SELECT CAST('yes' AS BOOLEAN), CAST(' F ' AS BOOLEAN)
SELECT CAST('maybe' AS BOOLEAN)
SELECT CAST(day AS DATE), CAST(day AS TIMESTAMP), CAST(day AS TIMESTAMP_NTZ) FROM t
SELECT CAST('2024-02-30' AS DATE)
SELECT CAST('x' AS DATE)
SELECT CAST('2024-03-10 02:30:00' AS TIMESTAMP), CAST('2024-11-03 01:30:00.5' AS TIMESTAMP), CAST('2024-11-03T01:30:00' AS TIMESTAMP_NTZ)
SELECT CAST('nope' AS TIMESTAMP)
SELECT TIMESTAMP '2024-11-03 01:30:00', DATE '2024-01-01', TIMESTAMP_NTZ '2024-01-01 00:00:00'
SELECT CAST(dt AS STRING), CAST(ts AS STRING), CAST(nt AS STRING), CAST(dt AS TIMESTAMP), CAST(dt AS TIMESTAMP_NTZ) FROM t
SELECT CAST(ts AS DATE), CAST(nt AS DATE), CAST(nt AS TIMESTAMP), CAST(ts AS TIMESTAMP_NTZ) FROM t
SELECT length(s), char_length(s), octet_length(s), bit_length(s), len(s), reverse(w) FROM t
SELECT upper(w), lower(w), ucase(w), lcase(w) FROM t
SELECT concat(s, '-', w), s || w, concat_ws('/', s, w, 'z') FROM t
SELECT substring(s, 1, 2), substring(s, 0, 2), substring(s, -2, 1), substr(s, -20, 19), substring(s, 2), substring(s, 2, -1), substring(s, i, 2), substring(s FROM 2 FOR 1) FROM t
SELECT left(s, 2), right(s, 2), left(s, -1), right(s, 0), trim(s), ltrim(s), rtrim(s), trim(LEADING FROM s) FROM t
SELECT replace(s, 'e', 'EE'), translate(s, 'pe', 'qr'), translate(s, 'pe', 'q'), repeat(s, 2), repeat(s, -1), lpad(s, 5, 'xy'), rpad(s, 5), lpad(s, 1, 'z'), rpad(s, -3, 'z') FROM t
SELECT instr(s, 'n'), locate('n', s), position('n' IN s), position('n', s), contains(s, 'en'), startswith(s, 'p'), endswith(s, 'k'), ascii(w), space(3), md5(s), sha2(s, 256) FROM t
SELECT split(w, 'e'), split(w, ','), md5(w) FROM t
SELECT abs(i), ceil(x), floor(x), ceil(i), floor(b), ceil(p), floor(q), round(x), round(x, 1), round(p, 1), round(p), round(q, 5), round(i), round(b, 2) FROM t
SELECT round(d, 2), round(d) FROM t
SELECT sqrt(d), exp(x), ln(d), log10(x), log2(x), power(x, 2), pow(d, 0.5D), sin(x), cos(d), tan(x), atan(d), degrees(x), radians(x), sign(x), signum(i), sqrt(p), sign(p) FROM t
SELECT positive(i), negative(i), pi(), mod(i, 3), mod(p, 2) FROM t
SELECT i & 6, i | 6, i ^ 6, ~i, b & i, ti | si FROM t
SELECT coalesce(i, 0), coalesce(s, w, 'none'), nvl(i, b), ifnull(p, 0), coalesce(p, 0.5), nullif(i, 7), nvl2(i, 'y', 'n'), if(flag, 1, 2), coalesce(d, 1), coalesce(dt, ts), if(flag, i, p), coalesce(f, i), coalesce(f, si) FROM t
SELECT CASE WHEN i > 3 THEN 'big' WHEN i > 0 THEN 'small' END, CASE i WHEN 1 THEN 1.5 WHEN 2 THEN 2 ELSE 0 END, CASE WHEN flag THEN i ELSE b END FROM t
SELECT greatest(i, b), least(i, si, b), greatest(d, 1.0D), least(d, 1.0D), greatest(s, w), greatest(p, 5), least(dt, DATE '2001-01-01') FROM t
SELECT equal_null(i, si), array(1, 2, NULL), size(arr), cardinality(arr), array_contains(arr, 2), element_at(arr, 1), array(i, b) FROM t WHERE size(arr) > 0
SELECT arr[0], arr[i - i], arr[1] FROM t WHERE size(arr) > 1
SELECT arr[5] FROM t
SELECT element_at(arr, 9) FROM t
SELECT element_at(arr, 0) FROM t
SELECT element_at(arr, -1) FROM t WHERE size(arr) > 0
SELECT id, arr FROM t
SELECT year(dt), month(dt), day(dt), quarter(dt), dayofweek(dt), weekday(dt), dayofyear(dt), weekofyear(dt), dayofmonth(dt) FROM t
SELECT year(ts), month(ts), day(ts), hour(ts), minute(ts), second(ts), dayofweek(ts), hour(nt), minute(nt), second(nt), weekofyear(nt), quarter(ts) FROM t
SELECT extract(YEAR FROM dt), extract(MONTH FROM ts), extract(HOUR FROM ts), extract(DAY FROM nt), extract(WEEK FROM dt), extract(QUARTER FROM dt) FROM t
SELECT date_add(dt, 3), date_sub(dt, 3), dt + 1, dt - 1, date_add(dt, i), datediff(dt, DATE '2024-01-01'), datediff(ts, dt), add_months(dt, 1), add_months(dt, -12), last_day(dt), add_months(DATE '2024-01-31', 1) FROM t
SELECT trunc(dt, 'MM'), trunc(dt, 'year'), trunc(dt, 'quarter'), trunc(dt, 'week'), trunc(ts, 'month') FROM t
SELECT date_trunc('DAY', ts), date_trunc('hour', ts), date_trunc('MONTH', ts), date_trunc('minute', ts), date_trunc('week', nt), date_trunc('year', dt), date_trunc('quarter', ts), date_trunc('second', nt) FROM t
SELECT date_format(dt, 'yyyy-MM-dd'), date_format(ts, 'yyyy/MM/dd HH:mm:ss'), date_format(nt, 'MMM yyyy'), date_format(dt, 'E EEEE MMMM') FROM t
SELECT make_date(2024, 2, 29), make_date(year(dt), 1, 1) FROM t
SELECT make_date(2023, 2, 29)
SELECT make_date(2023, 13, 1)
SELECT dt + INTERVAL 1 DAY, dt - INTERVAL '2' MONTH, dt + INTERVAL 1 YEAR, ts + INTERVAL 1 DAY, ts - INTERVAL 1 DAY, ts + INTERVAL 1 MONTH, ts + INTERVAL 3 HOURS, nt - INTERVAL 90 MINUTES, nt + INTERVAL 1 WEEK, ts - INTERVAL 6 MONTHS FROM t
SELECT to_date(ts), to_date(nt), to_date(dt) FROM t
SELECT id, s, i, substring(s, i, 2) FROM t
SELECT p + 1, p * 2  FROM t
SELECT p + i FROM t
SELECT p * i, p * -1 FROM t
SELECT p + b, p * b FROM t
SELECT p / i  FROM t WHERE i <> 0
SELECT p / 3 FROM t
SELECT coalesce(i, 0), coalesce(s, w, 'none'), nvl(i, b), ifnull(p, 0), coalesce(p, 0.5), nullif(i, 7), nvl2(i, 'y', 'n'), if(flag, 1, 2), coalesce(d, 1), coalesce(dt, ts), if(flag, i, p), coalesce(f, i), coalesce(f, si), coalesce(p, b) FROM t
SELECT count(*), count(i), count(DISTINCT w), count(i, b), count(1), count_if(i > 2) FROM t
SELECT sum(i), sum(si), sum(ti), sum(p), sum(q), sum(x), sum(f), avg(i), avg(b), avg(p), avg(q), avg(x), mean(i) FROM t
SELECT stddev(x), stddev_pop(x), variance(x), var_pop(x), var_samp(i), std(p), stddev_samp(b) FROM t
SELECT stddev(x) FROM t WHERE id = 1
SELECT bool_and(flag), bool_or(flag), every(flag), some(flag), any(flag) FROM t
SELECT w, count(*) c, sum(DISTINCT i), avg(DISTINCT i), count(DISTINCT i, w) FROM t GROUP BY w ORDER BY c DESC, w
SELECT w, sum(i) FILTER (WHERE i > 2), count(*) FILTER (WHERE flag) FROM t GROUP BY w HAVING count(*) > 3
SELECT w AS k, sum(i) AS total FROM t GROUP BY k HAVING total > 10 ORDER BY total
SELECT upper(w), i % 2, count(*) FROM t GROUP BY 1, 2
SELECT w, flag, count(*), sum(i) FROM t GROUP BY ROLLUP(w, flag)
SELECT w, flag, count(*) FROM t GROUP BY CUBE(w, flag)
SELECT w, flag, count(*) FROM t GROUP BY w, flag WITH ROLLUP
SELECT w, flag, count(*) FROM t GROUP BY GROUPING SETS ((w), (flag), (w, flag), ())
SELECT count(*) FROM t HAVING count(*) > 100
SELECT count(*) + 1, max(i) - min(i) FROM t
SELECT d, count(*) FROM t GROUP BY d
SELECT sum(i) FROM t WHERE id > 1000
SELECT w, i + 1 FROM t GROUP BY w, i + 1
SELECT id, row_number() OVER (PARTITION BY w ORDER BY id), rank() OVER (ORDER BY i), dense_rank() OVER (ORDER BY i DESC), percent_rank() OVER (ORDER BY x), cume_dist() OVER (ORDER BY x), ntile(4) OVER (ORDER BY id) FROM t
SELECT id, lag(i) OVER (ORDER BY id), lead(i, 2) OVER (ORDER BY id), lag(i, 1, 0) OVER (PARTITION BY w ORDER BY id), first_value(i) OVER (PARTITION BY w ORDER BY id), last_value(s) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING), nth_value(i, 2) OVER (ORDER BY id) FROM t
SELECT id, sum(i) OVER (PARTITION BY w ORDER BY id), avg(x) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), count(*) OVER (), max(p) OVER (PARTITION BY flag), sum(p) OVER (ORDER BY i), min(dt) OVER w FROM t WINDOW w AS (PARTITION BY w ORDER BY id DESC)
SELECT id, lag(i) IGNORE NULLS OVER (ORDER BY id), first_value(i) IGNORE NULLS OVER (ORDER BY id) FROM t
SELECT id, sum(d) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t
SELECT t.id, u.amount FROM t JOIN u ON t.i = u.i
SELECT t.id, u.id FROM t LEFT JOIN u ON t.w = u.w AND u.i > 1
SELECT t.id, u.id FROM t RIGHT JOIN u USING (id)
SELECT id, t.w, u.w FROM t FULL OUTER JOIN u USING (id)
SELECT * FROM u a CROSS JOIN u b
SELECT * FROM u a, u b WHERE a.id = b.id
SELECT a.id FROM t a LEFT SEMI JOIN u b ON a.i = b.i
SELECT a.id FROM t a LEFT ANTI JOIN u b USING (w)
SELECT id, i FROM t NATURAL JOIN u
SELECT count(*) FROM t a FULL JOIN u b ON a.i < b.i
SELECT a.id, b.id FROM t a LEFT JOIN u b ON a.id = b.id + 1 WHERE b.id IS NULL OR a.i > 2
SELECT * FROM (SELECT id, i FROM t WHERE i > 3) x JOIN (SELECT id, max(amount) m FROM u GROUP BY id) y ON x.id = y.id
WITH a AS (SELECT id, i FROM t), b(k, n) AS (SELECT i, count(*) FROM a GROUP BY i) SELECT a.id, b.n FROM a JOIN b ON a.i = b.k
SELECT id FROM t WHERE i = (SELECT max(i) FROM u)
SELECT id, (SELECT max(amount) FROM u) FROM t
SELECT id FROM t WHERE i IN (SELECT i FROM u WHERE i IS NOT NULL)
SELECT id FROM t WHERE i NOT IN (SELECT i FROM u)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.i = t.i)
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.w AND u.amount > 0)
SELECT id FROM t WHERE i > (SELECT avg(u.i) FROM u WHERE u.w = t.w)
SELECT id FROM t WHERE 0 = (SELECT count(*) FROM u WHERE u.w = t.w)
SELECT id FROM t WHERE i = (SELECT i FROM u)
SELECT i FROM t UNION SELECT i FROM u
SELECT i, w FROM t UNION ALL SELECT id, w FROM u
SELECT i FROM t INTERSECT SELECT i FROM u
SELECT i FROM t INTERSECT ALL SELECT i FROM u
SELECT i FROM t EXCEPT SELECT i FROM u
SELECT i FROM t EXCEPT ALL SELECT i FROM u
SELECT d FROM t EXCEPT SELECT 0.0D
SELECT i FROM t UNION SELECT id FROM u INTERSECT SELECT 7
SELECT p FROM t UNION ALL SELECT amount FROM u UNION ALL SELECT 1
SELECT i AS v FROM t UNION SELECT i FROM u ORDER BY v DESC NULLS LAST LIMIT 3
SELECT DISTINCT w, flag FROM t ORDER BY w, flag
SELECT DISTINCT w FROM t ORDER BY w DESC LIMIT 2
SELECT id, x FROM t ORDER BY d, id LIMIT 7
SELECT id FROM t ORDER BY s DESC NULLS FIRST, id LIMIT 5 OFFSET 3
SELECT * FROM VALUES (1, 'a'), (2, NULL), (NULL, 'c') AS v(n, c) WHERE n IS NULL OR n > 1
SELECT v.*, n + 1 FROM (VALUES (1, 1.5), (2, 2)) AS v(n, m)
VALUES (1, 'x'), (2, 'y')
SELECT i + 1 AS j, j * 2 AS k FROM t
SELECT * EXCEPT (arr, ts) FROM t
SELECT t.* FROM t LEFT SEMI JOIN u ON t.id = u.id
SELECT u.*, 1 FROM u
SELECT 1.10, 0.05, 100.0, 5., 00.50
SELECT w, sum(b) FROM t GROUP BY w
SELECT id FROM t WHERE i > 3 AND p > 1 AND s LIKE 'p%' AND dt >= '2000-01-01'
SELECT id FROM t WHERE i <> 0 AND b / i > 1
SELECT id FROM t WHERE b / i > 1 AND i <> 0
SELECT id FROM t WHERE ts BETWEEN '2024-01-01' AND '2024-11-03 01:45:00'
SELECT id FROM t WHERE flag AND NOT (i > 3 OR w IN ('red', 'blue'))
SELECT count(*), min(id), max(id), max(dt) FROM t
SELECT CAST(f AS TINYINT), CAST(f AS SMALLINT) FROM t WHERE NOT isnan(f)
SELECT CAST(i AS SMALLINT), CAST(si AS FLOAT), CAST(p AS SMALLINT) FROM t WHERE p < 100
SELECT id FROM t WHERE s = 'été' OR s > 'z'
SELECT w, max(i) FILTER (WHERE i < 5), sum(DISTINCT b), avg(DISTINCT p), min(DISTINCT s) FROM t GROUP BY w
SELECT stddev(DISTINCT x), count(DISTINCT d), count(DISTINCT f, d) FROM t
SELECT id, stddev(x) OVER (ORDER BY id), var_pop(i) OVER (PARTITION BY w), bool_and(flag) OVER (ORDER BY id), avg(p) OVER (ORDER BY id), count_if(flag) OVER (ORDER BY id), sum(b) OVER (ORDER BY id) FROM t
SELECT i % -3, b % -7, x % 3, pmod(i, -5), mod(b, 4), -7 DIV 2, 7 DIV -2 FROM t
SELECT 5 % 0.3, 1.0 / 7, 100 / 8.0, 2.5 * 4, 0.1 + 0.2, 3 - 0.05
SELECT last_day(ts), add_months(ts, 2), date_add(nt, 1), datediff(nt, ts), trunc(nt, 'mon'), to_date(dt) FROM t
SELECT nvl2(s, i, b), greatest(ts, nt), least(i, p), coalesce(s, 'x') || w FROM t
SELECT concat(s), concat_ws(',', s), space(0), space(-1), repeat(s, 0), rtrim(s), right(s, -2), right(s, 100) FROM t
SELECT substring(s, -100, 98), substring(s, 2147483647, 2), substring(s, -2147483648, 2) FROM t
SELECT CAST('  2024-01-05 ' AS DATE), CAST('12:00' AS STRING), CAST('1e3' AS DOUBLE), CAST('-1.5e-3' AS DOUBLE), CAST('+0' AS INT)
SELECT CAST('9223372036854775808' AS BIGINT)
SELECT CAST('2024-13-01 00:00:00' AS TIMESTAMP)
SELECT CAST('2024-01-01 25:00:00' AS TIMESTAMP_NTZ)
SELECT sum(p) OVER (), max(sum(i)) OVER (PARTITION BY w) FROM t GROUP BY w, p
SELECT w, count(*) AS n FROM t GROUP BY w ORDER BY count(*) DESC, max(i)
SELECT a.w, count(DISTINCT b.i) FROM t a LEFT JOIN u b USING (w) GROUP BY a.w
SELECT w, sum(i) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), sum(i) OVER (ORDER BY id ROWS 2 PRECEDING) FROM t
SELECT EXTRACT(WEEK FROM ts), EXTRACT(MINUTE FROM nt), dayofyear(ts), weekday(nt) FROM t
SELECT dateadd(dt, 3), date_diff(dt, DATE '2020-01-01'), ceiling(x), ceiling(p), ceiling(i), character_length(s), length(X'00ff') FROM t
SELECT array(1.5, 2), array('a', NULL), array_contains(array('a', 'b'), w), size(array(1)), element_at(array(1, 2), -2) FROM t
