-- Statements about types, functions and views that no page lists alone.
-- # Variant
-- case: values
CREATE TABLE v (k INT, a VARIANT);
INSERT INTO v SELECT 1, parse_json('{"x": 1, "y": [true, null, 2.5, "text"], "z": {"w": "deep"}}');
INSERT INTO v SELECT 2, parse_json('[1, 2]');
INSERT INTO v VALUES (3, NULL), (4, parse_json('"word"')), (5, CAST(7L AS VARIANT)), (6, parse_json('null'));
DESCRIBE v;
SELECT k, to_json(a) AS text FROM v;
SELECT k, variant_get(a, '$.x', 'int') AS x, variant_get(a, '$.z.w', 'string') AS w, a:y[2] AS y FROM v WHERE k = 1;
SELECT k, schema_of_variant(a) AS s FROM v;
SELECT k, is_variant_null(a) AS n, a IS NULL AS missing FROM v;
SELECT try_variant_get(a, '$.x', 'int') AS x, CAST(try_variant_get(a, '$') AS STRING) AS s FROM v;
SELECT * FROM v WHERE k = 4;
@variant_values;
SELECT count(*) FROM v WHERE variant_get(a, '$.x', 'int') = 1;
UPDATE v SET a = parse_json('{"x": 9}') WHERE k = 2;
DELETE FROM v WHERE k = 3;
SELECT k, to_json(a) AS text FROM v;
CREATE TABLE w TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1') AS SELECT k, a FROM v WHERE a IS NOT NULL;
INSERT INTO w SELECT 1, parse_json('{"x": 5}');
SELECT k, to_json(a) AS text FROM w;
CALL sys.compact('w');
SELECT k, variant_get(a, '$.x', 'string') AS x FROM w;
CREATE TABLE bad (k VARIANT, a INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1');
CREATE TABLE badder (k VARIANT, a INT) PARTITIONED BY (k);
CREATE TABLE n (k INT, s STRUCT<v: VARIANT, i: INT>, l ARRAY<VARIANT>, m MAP<STRING, VARIANT>);
INSERT INTO n SELECT 1, named_struct('v', parse_json('1'), 'i', 2), array(parse_json('"a"'), NULL), map('k', parse_json('[3]'));
SELECT k, to_json(s.v) AS v, s.i, to_json(l[0]) AS l, to_json(m['k']) AS m FROM n;
ALTER TABLE v ADD COLUMN b VARIANT;
INSERT INTO v SELECT 9, parse_json('1'), parse_json('{"n": 2}');
SELECT k, to_json(b) AS b FROM v WHERE k > 5;
-- case: shredded
CREATE TABLE v (k INT, a VARIANT) TBLPROPERTIES ('variant.shreddingSchema' = '{"type":"ROW","fields":[{"id":0,"name":"a","type":{"type":"ROW","fields":[{"id":0,"name":"x","type":"INT"},{"id":1,"name":"y","type":"STRING"}]}}]}');
INSERT INTO v SELECT 1, parse_json('{"x": 1, "y": "one", "z": true}');
INSERT INTO v VALUES (2, parse_json('{"x": "not a number"}')), (3, NULL), (4, parse_json('5'));
SELECT k, to_json(a) AS text FROM v;
SELECT k, try_variant_get(a, '$.x', 'int') AS x, try_variant_get(a, '$.y', 'string') AS y FROM v;
-- # Upsert
-- case: several commits
CREATE TABLE t (k INT, v STRING, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('upsert-key' = 'k');
INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'tue');
INSERT INTO t VALUES (1, 'c', 'tue'), (3, 'd', 'mon');
SELECT * FROM t;
INSERT INTO t VALUES (4, 'x', 'mon'), (4, 'y', 'mon');
SELECT count(*) FROM t WHERE k = 4;
INSERT OVERWRITE t VALUES (1, 'z', 'mon');
SELECT * FROM t;
SELECT snapshot_id, commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
DELETE FROM t WHERE k = 1;
SELECT * FROM t;
CREATE TABLE s (k INT, ts INT, v STRING) TBLPROPERTIES ('upsert-key' = 'k', 'sequence.field' = 'ts', 'deletion-vectors.enabled' = 'true');
INSERT INTO s VALUES (1, 1, 'a'), (1, 2, 'b'), (NULL, 1, 'n');
INSERT INTO s VALUES (1, 1, 'old'), (NULL, 5, 'new'), (2, 1, 'x');
SELECT * FROM s;
CREATE TABLE bad (k INT, v STRING) TBLPROPERTIES ('upsert-key' = 'nothing');
CREATE TABLE bad (k INT, v STRING) TBLPROPERTIES ('upsert-key' = 'k', 'sequence.field' = 'nothing');
-- # Functions
-- case: of the catalog
SELECT sys.bucket(4, 7) AS b, sys.bucket(16, 'text') AS s, sys.mod_bucket(5, 12) AS m, sys.bucket(8, 1, 'a') AS two;
SELECT sys.bucket(10, CAST(id AS INT)) AS b FROM range(5);
SELECT sys.hive_bucket(5, 12) AS h, sys.hive_bucket(7, 'text') AS s;
SELECT sys.descriptor_to_string(sys.path_to_descriptor('/tmp/x')) AS text;
SELECT length(sys.path_to_descriptor('file:/tmp/x')) AS n, sys.descriptor_to_string(NULL) AS missing;
CREATE TABLE t (id INT, pt INT) PARTITIONED BY (pt);
INSERT INTO t VALUES (1, 9), (2, 10);
SELECT sys.max_pt('t') AS newest;
SELECT id FROM t WHERE pt = sys.max_pt('lab.t');
DELETE FROM t WHERE pt = 10;
SELECT sys.max_pt('t') AS newest;
CREATE FUNCTION area(w DOUBLE, h DOUBLE) RETURNS DOUBLE RETURN w * h;
CREATE OR REPLACE FUNCTION area AS 'com.example.Area' USING JAR '/tmp/area.jar';
DROP FUNCTION area;
DROP FUNCTION IF EXISTS area;
DESCRIBE FUNCTION area;
-- # View
-- case: of the catalog
CREATE TABLE t (a INT, b STRING);
CREATE VIEW v AS SELECT * FROM t;
CREATE OR REPLACE VIEW v AS SELECT a FROM t;
CREATE VIEW IF NOT EXISTS lab.v AS SELECT a FROM t;
SHOW VIEWS IN lab;
SELECT * FROM v;
DROP VIEW v;
DROP VIEW IF EXISTS v;
SHOW CREATE TABLE v;
ALTER VIEW v RENAME TO w;
ALTER VIEW v SET TBLPROPERTIES ('a' = 'b');
