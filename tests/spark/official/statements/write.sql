-- Statements of the page SQL Write, apart from changes of rows.
-- # Insert Table
-- case: values, queries and column lists
CREATE TABLE t (id INT, name STRING, price DOUBLE, day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'a', 1.5, 'mon'), (2, NULL, NULL, 'tue');
INSERT INTO t SELECT id + 10, upper(name), price * 2, 'wed' FROM t;
INSERT INTO t (day, id) VALUES ('thu', 5);
INSERT INTO t BY NAME SELECT 'fri' AS day, 6 AS id, 'f' AS name;
INSERT INTO t PARTITION (day = 'sat') VALUES (7, 'g', 7.5);
INSERT INTO t PARTITION (day = 'sat') (name, id) VALUES ('h', 8);
INSERT INTO TABLE t SELECT * FROM VALUES (9, 'i', 9.5D, 'sun') AS v(a, b, c, d);
SELECT * FROM t;
INSERT INTO t VALUES (1, 'a');
INSERT INTO t VALUES (1, 'a', 1.5, 'mon', 3);
INSERT INTO t VALUES ('x', 'a', 1.5, 'mon');
INSERT INTO t (id, nothing) VALUES (1, 2);
INSERT INTO t (id, id) VALUES (1, 2);
INSERT INTO t BY NAME SELECT 1 AS id, 2 AS nothing;
INSERT INTO nothing VALUES (1);
INSERT INTO t SELECT * FROM t WHERE false;
SELECT count(*), max(snapshot_id) FROM `t$snapshots`;
-- # Insert Overwrite
-- case: static and dynamic
CREATE TABLE t (id INT, day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'mon'), (2, 'tue');
INSERT OVERWRITE t VALUES (3, 'mon');
SELECT * FROM t;
INSERT INTO t VALUES (4, 'tue');
INSERT OVERWRITE t PARTITION (day) VALUES (5, 'mon');
SELECT * FROM t;
INSERT INTO t VALUES (6, 'tue');
INSERT OVERWRITE t PARTITION (day = 'mon') VALUES (7);
SELECT * FROM t;
SET spark.sql.sources.partitionOverwriteMode=dynamic;
INSERT OVERWRITE t VALUES (8, 'mon'), (9, 'wed');
SELECT * FROM t;
INSERT OVERWRITE t SELECT * FROM t WHERE false;
SELECT * FROM t;
INSERT OVERWRITE t PARTITION (day = 'wed') SELECT id FROM t WHERE false;
SELECT * FROM t;
SET spark.sql.sources.partitionOverwriteMode=static;
INSERT OVERWRITE t SELECT * FROM t WHERE false;
SELECT * FROM t;
SELECT snapshot_id, commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
-- case: two levels and keys
CREATE TABLE t (id INT, v STRING, day STRING, hour INT) PARTITIONED BY (day, hour) TBLPROPERTIES ('primary-key' = 'id,day,hour', 'bucket' = '1');
INSERT INTO t VALUES (1, 'a', 'mon', 1), (2, 'b', 'mon', 2), (3, 'c', 'tue', 1);
INSERT OVERWRITE t PARTITION (day = 'mon', hour) VALUES (4, 'd', 1);
SELECT * FROM t;
INSERT OVERWRITE t PARTITION (day = 'mon', hour = 1) SELECT id, v FROM t WHERE day = 'tue';
SELECT * FROM t;
INSERT OVERWRITE t PARTITION (nothing = 1) VALUES (4, 'd', 'mon', 1);
INSERT INTO t PARTITION (day = 'mon') VALUES (9, 'z', 5);
SELECT * FROM t;
-- # Truncate Table
-- case: table and partition
CREATE TABLE t (id INT, day STRING) PARTITIONED BY (day);
TRUNCATE TABLE t;
INSERT INTO t VALUES (1, 'mon'), (2, 'tue');
TRUNCATE TABLE t PARTITION (day = 'mon');
SELECT * FROM t;
TRUNCATE TABLE t;
SELECT * FROM t;
TRUNCATE TABLE nothing;
TRUNCATE TABLE t PARTITION (nothing = 1);
SELECT snapshot_id, commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
-- # Bucket Modes
-- case: every bucket mode takes inserts
CREATE TABLE fixed (k INT, v INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '3');
CREATE TABLE dynamic (k INT, v INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '-1');
CREATE TABLE across (k INT, v INT, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'k');
CREATE TABLE postponed (k INT, v INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '-2');
CREATE TABLE keyed (k INT, v INT) TBLPROPERTIES ('bucket' = '2', 'bucket-key' = 'k');
INSERT INTO fixed VALUES (1, 1), (2, 2), (1, 3);
INSERT INTO fixed VALUES (2, 20), (4, 4);
SELECT * FROM fixed;
INSERT INTO dynamic VALUES (1, 1), (2, 2), (1, 3);
INSERT INTO dynamic VALUES (2, 20), (4, 4);
SELECT * FROM dynamic;
INSERT INTO across VALUES (1, 1, 'mon'), (2, 2, 'mon');
INSERT INTO across VALUES (1, 10, 'tue'), (3, 3, 'mon');
SELECT * FROM across;
INSERT INTO postponed VALUES (1, 1), (2, 2);
SELECT * FROM postponed;
CALL sys.compact(table => 'postponed');
SELECT * FROM postponed;
INSERT INTO keyed VALUES (1, 1), (1, 2), (3, 3);
SELECT * FROM keyed;
SELECT partition, bucket, record_count FROM `keyed$files`;
SELECT bucket, sum(record_count) FROM `fixed$files` GROUP BY bucket;
-- # Merge Engines
-- case: partial update
CREATE TABLE t (k INT, a INT, b STRING, g INT, c STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'partial-update', 'fields.g.sequence-group' = 'c');
INSERT INTO t VALUES (1, 1, NULL, 5, 'five'), (2, NULL, 'x', NULL, NULL);
INSERT INTO t VALUES (1, NULL, 'b', 3, 'three'), (2, 7, NULL, 1, 'one');
SELECT * FROM t;
UPDATE t SET b = 'changed' WHERE k = 1;
SELECT * FROM t;
DELETE FROM t WHERE k = 2;
SELECT * FROM t;
-- case: aggregation
CREATE TABLE t (k INT, n INT, top INT, words STRING, last STRING, some BOOLEAN) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'aggregation', 'fields.n.aggregate-function' = 'sum', 'fields.top.aggregate-function' = 'max', 'fields.words.aggregate-function' = 'listagg', 'fields.some.aggregate-function' = 'bool_or');
INSERT INTO t VALUES (1, 1, 5, 'a', 'x', false), (1, 2, 3, 'b', NULL, true), (2, 1, 1, NULL, NULL, NULL);
INSERT INTO t VALUES (1, 10, 7, 'c', 'y', NULL);
SELECT * FROM t;
UPDATE t SET n = 5 WHERE k = 1;
DELETE FROM t WHERE k = 2;
SELECT * FROM t;
-- case: first row and sequence field
CREATE TABLE f (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'first-row');
INSERT INTO f VALUES (1, 'first'), (2, 'b');
INSERT INTO f VALUES (1, 'second'), (3, 'c');
SELECT * FROM f;
UPDATE f SET v = 'z' WHERE k = 1;
CREATE TABLE s (k INT, ts INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'sequence.field' = 'ts');
INSERT INTO s VALUES (1, 5, 'new'), (1, 3, 'old');
INSERT INTO s VALUES (1, 4, 'older'), (2, 1, 'x');
SELECT * FROM s;
CREATE TABLE r (k INT, op STRING, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'rowkind.field' = 'op');
INSERT INTO r VALUES (1, '+I', 'a'), (2, '+I', 'b');
INSERT INTO r VALUES (1, '-D', 'a');
SELECT * FROM r;
-- # Write Merge Schema
-- case: by name
CREATE TABLE t (a INT, b STRING);
INSERT INTO t VALUES (1, '1'), (2, '2');
INSERT INTO t BY NAME SELECT 3 AS a, '3' AS b, 3 AS c;
SET `spark.paimon.write.merge-schema` = true;
INSERT INTO t BY NAME SELECT 3 AS a, '3' AS b, 3 AS c;
SELECT * FROM t;
INSERT INTO t BY NAME SELECT 5000000000 AS a;
SET `spark.paimon.write.merge-schema.type-widening` = true;
INSERT INTO t BY NAME SELECT 5000000000 AS a, 'big' AS b;
SELECT * FROM t;
DESCRIBE t;
INSERT INTO t VALUES (1L, 'x', 2, 'surplus');
-- # Default Value
-- case: at creation and changed
CREATE TABLE t (a BIGINT, b STRING DEFAULT 'my', c INT DEFAULT 5, l ARRAY<STRING> DEFAULT array('x', 'y'), m MAP<STRING, STRING> DEFAULT map('k', 'v'), s STRUCT<x: INT, y: STRING> DEFAULT struct(42, 'd'));
INSERT INTO t (a) VALUES (1), (2);
INSERT INTO t (a, b, c) VALUES (3, DEFAULT, 7), (4, NULL, NULL);
SELECT * FROM t;
ALTER TABLE t ALTER COLUMN c SET DEFAULT 6;
ALTER TABLE t ALTER COLUMN l SET DEFAULT array('z');
INSERT INTO t (a) VALUES (5);
SELECT * FROM t WHERE a = 5;
UPDATE t SET b = DEFAULT WHERE a = 3;
SELECT a, b FROM t;
ALTER TABLE t ALTER COLUMN b DROP DEFAULT;
INSERT INTO t (a) VALUES (6);
SELECT a, b FROM t WHERE a = 6;
CREATE TABLE u (a INT, b INT DEFAULT 'x');
DESCRIBE EXTENDED t;
-- # SQL Upsert
-- case: upsert key
CREATE TABLE t (k1 INT, k2 INT, ts1 INT, ts2 INT, v STRING) TBLPROPERTIES ('upsert-key' = 'k1,k2', 'sequence.field' = 'ts1,ts2');
INSERT INTO t VALUES (null, null, 2, 1, 'a'), (null, null, 2, 2, 'b'), (1, null, 1, 1, 'c'), (1, 2, 1, 1, 'd'), (1, 2, 2, 1, 'e');
SELECT * FROM t;
INSERT INTO t VALUES (null, null, 2, 1, 'f'), (null, 1, 1, 1, 'g'), (1, null, 2, 1, 'h'), (1, 1, 1, 1, 'i'), (1, 2, 2, 0, 'j');
SELECT * FROM t;
CREATE TABLE u (k INT, v STRING) TBLPROPERTIES ('upsert-key' = 'k');
INSERT INTO u VALUES (1, 'a'), (2, 'b');
INSERT INTO u VALUES (1, 'c'), (3, 'd');
SELECT * FROM u;
CREATE TABLE w (k INT, v STRING) TBLPROPERTIES ('upsert-key' = 'k', 'primary-key' = 'k');
