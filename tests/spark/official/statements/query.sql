-- Statements of the pages SQL Query and SQL Functions.
-- # Batch Query
-- case: metadata columns
CREATE TABLE t (id INT, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('bucket' = '1', 'bucket-key' = 'id');
INSERT INTO t VALUES (1, 'mon'), (2, 'mon'), (3, 'tue');
SELECT *, __paimon_partition, __paimon_bucket, __paimon_row_index FROM t;
SELECT count(DISTINCT __paimon_file_path) AS files FROM t;
SELECT __paimon_file_path IS NOT NULL AS known FROM t WHERE __paimon_bucket = 0 AND id = 1;
CREATE TABLE p (id INT, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1');
INSERT INTO p VALUES (1, 'a');
INSERT INTO p VALUES (1, 'b');
CALL sys.compact('p');
SELECT *, __paimon_bucket, __paimon_partition FROM p;
CREATE TABLE r (id INT, v STRING) TBLPROPERTIES ('row-tracking.enabled' = 'true');
INSERT INTO r SELECT /*+ REPARTITION(1) */ 1, 'a';
INSERT INTO r SELECT /*+ REPARTITION(1) */ 2, 'b';
SELECT *, _ROW_ID, _SEQUENCE_NUMBER FROM r;
UPDATE r SET v = 'c' WHERE id = 1;
SELECT *, _ROW_ID, _SEQUENCE_NUMBER FROM r;
SELECT _ROW_ID FROM t;
-- case: aggregates and filters
CREATE TABLE t (id INT, n BIGINT, name STRING, price DECIMAL(8, 2), day DATE) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 10, 'ab', 1.25, DATE '2026-01-01'), (2, 20, 'abc', NULL, DATE '2026-01-02'), (3, NULL, NULL, 3.75, DATE '2026-01-02');
SELECT count(*), count(n), min(n), max(n), min(day), max(price) FROM t;
SELECT day, count(*) FROM t GROUP BY day;
SELECT * FROM t WHERE name LIKE 'ab%';
SELECT * FROM t WHERE id IN (1, 3) AND day > DATE '2026-01-01';
SELECT * FROM t WHERE n IS NULL OR price < 2;
SELECT * FROM t ORDER BY id DESC LIMIT 2;
SELECT count(*) FROM t WHERE day = DATE '2026-01-02';
SELECT id, sum(n) OVER (ORDER BY id) AS s FROM t;
SELECT a.id, b.name FROM t a JOIN t b ON a.id = b.id + 1;
SELECT nothing FROM t;
SELECT * FROM nothing.t;
-- # Batch Time Travel
-- case: versions and timestamps
CREATE TABLE t (id INT);
INSERT INTO t VALUES (1);
@mark;
INSERT INTO t VALUES (2);
INSERT INTO t VALUES (3);
CALL sys.create_tag('t', 'my-tag', 2);
CALL sys.create_tag('t', '3', 1);
SELECT * FROM t VERSION AS OF 1;
SELECT * FROM t VERSION AS OF '2';
SELECT * FROM t VERSION AS OF 'my-tag';
SELECT * FROM t VERSION AS OF 3;
SELECT * FROM t FOR VERSION AS OF 2;
SELECT * FROM t TIMESTAMP AS OF '{mark_text}';
SELECT * FROM t TIMESTAMP AS OF '2099-01-01 00:00:00';
SELECT * FROM t TIMESTAMP AS OF 4102444800;
SELECT * FROM t TIMESTAMP AS OF '2001-01-01 00:00:00';
SELECT * FROM t TIMESTAMP AS OF current_timestamp();
SELECT * FROM t VERSION AS OF 99;
SELECT * FROM t VERSION AS OF 'nothing';
SELECT * FROM t VERSION AS OF 'watermark-1678883047356';
SELECT count(*) FROM t VERSION AS OF 1 a JOIN t VERSION AS OF 2 b ON true;
-- case: dynamic options
CREATE TABLE t (id INT);
CREATE TABLE u (id INT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
INSERT INTO u VALUES (7);
INSERT INTO u VALUES (8);
SET spark.paimon.scan.snapshot-id=1;
SELECT * FROM t;
SET spark.paimon.*.lab.u.scan.snapshot-id=2;
SELECT * FROM t JOIN u;
RESET spark.paimon.scan.snapshot-id;
SELECT * FROM t;
SET spark.paimon.paimon.lab.u.scan.snapshot-id=1;
SELECT * FROM u;
RESET spark.paimon.paimon.lab.u.scan.snapshot-id;
RESET spark.paimon.*.lab.u.scan.snapshot-id;
SELECT * FROM u;
-- # Batch Incremental
-- case: table functions
CREATE TABLE t (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1');
@mark;
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t VALUES (2, 'B'), (3, 'c');
DELETE FROM t WHERE k = 1;
CALL sys.create_tag('t', '2026-01-01', 1);
CALL sys.create_tag('t', '2026-01-02', 3);
SELECT * FROM paimon_incremental_query('t', 1, 2);
SELECT * FROM paimon_incremental_query('lab.t', 0, 2);
SELECT * FROM paimon_incremental_query('paimon.lab.t', '2026-01-01', '2026-01-02');
SELECT * FROM paimon_incremental_query('t', 2, 3);
SELECT * FROM paimon_incremental_query('t', 2, 2);
SELECT * FROM paimon_incremental_query('t', 1, 99);
SELECT rowkind, k, v FROM paimon_incremental_query('lab.`t$audit_log`', 1, 3);
SELECT * FROM paimon_incremental_between_timestamp('t', '{mark_text}', '2099-01-01 00:00:00');
SELECT * FROM paimon_incremental_between_timestamp('t', '{mark}', '4102444800000');
SELECT * FROM paimon_incremental_to_auto_tag('t', '2026-01-02');
SELECT * FROM paimon_incremental_to_auto_tag('t', '2026-05-05');
SELECT * FROM paimon_incremental_query('t', 1);
SELECT * FROM paimon_incremental_query('nothing', 1, 2);
SELECT count(*) FROM t JOIN paimon_incremental_query('t', 1, 2) AS i ON t.k = i.k;
-- # SQL Functions
-- case: max_pt and others
CREATE TABLE t (a STRING, pt STRING, h INT) PARTITIONED BY (pt, h);
SELECT sys.max_pt('t');
INSERT INTO t VALUES ('a', '20260101', 1), ('b', '20260102', 2);
SELECT sys.max_pt('t');
SELECT paimon.sys.max_pt('lab.t') AS newest;
SELECT * FROM t WHERE pt = sys.max_pt('t');
CREATE TABLE u (a INT);
SELECT sys.max_pt('u');
SELECT sys.max_pt('nothing');
SELECT sys.nothing('t');
CREATE FUNCTION area(w DOUBLE, h DOUBLE) RETURNS DOUBLE RETURN w * h;
CREATE TEMPORARY FUNCTION twice(x INT) RETURNS INT RETURN x * 2;
SELECT twice(4);
DROP TEMPORARY FUNCTION twice;
SELECT sys.descriptor_to_string(sys.path_to_descriptor('/tmp/x')) IS NOT NULL AS known;
SELECT paimon.sys.bucket(4, 7) AS b;
