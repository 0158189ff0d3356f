-- Statements of the page Altering Tables.
-- # Changing/Adding Table Properties
-- case: set and unset
CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ('bucket' = '-1');
ALTER TABLE t SET TBLPROPERTIES ('write-buffer-size' = '256 MB');
SHOW TBLPROPERTIES t ('write-buffer-size');
SHOW TBLPROPERTIES t;
ALTER TABLE t UNSET TBLPROPERTIES ('write-buffer-size');
SHOW TBLPROPERTIES t ('write-buffer-size');
ALTER TABLE t UNSET TBLPROPERTIES ('write-buffer-size');
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('write-buffer-size');
ALTER TABLE t SET TBLPROPERTIES ('primary-key' = 'a');
ALTER TABLE t SET TBLPROPERTIES ('bucket' = '4');
ALTER TABLE t SET TBLPROPERTIES ('merge-engine' = 'unknown');
ALTER TABLE t SET TBLPROPERTIES ('own.word' = 'x');
SELECT key, value FROM `t$options` WHERE key <> 'path';
ALTER TABLE nothing SET TBLPROPERTIES ('a' = 'b');
-- case: immutable properties of a table with data
CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ('primary-key' = 'a', 'bucket' = '2');
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t SET TBLPROPERTIES ('merge-engine' = 'partial-update');
ALTER TABLE t SET TBLPROPERTIES ('primary-key' = 'b');
ALTER TABLE t SET TBLPROPERTIES ('bucket-key' = 'b');
ALTER TABLE t SET TBLPROPERTIES ('bucket' = '-1');
ALTER TABLE t SET TBLPROPERTIES ('bucket' = '3');
ALTER TABLE t SET TBLPROPERTIES ('changelog-producer' = 'lookup');
ALTER TABLE t SET TBLPROPERTIES ('snapshot.num-retained.max' = '5');
SELECT * FROM t;
SELECT key, value FROM `t$options` WHERE key NOT IN ('path', 'owner');
-- # Changing/Adding Table Comment
-- case: set and removed
CREATE TABLE t (a INT) COMMENT 'old';
ALTER TABLE t SET TBLPROPERTIES ('comment' = 'table comment');
DESCRIBE EXTENDED t;
ALTER TABLE t UNSET TBLPROPERTIES ('comment');
DESCRIBE EXTENDED t;
COMMENT ON TABLE t IS 'said so';
DESCRIBE EXTENDED t;
-- # Rename Table Name
-- case: rename
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
ALTER TABLE t RENAME TO u;
SELECT * FROM u;
SELECT * FROM t;
ALTER TABLE paimon.lab.u RENAME TO lab.w;
SHOW TABLES;
ALTER TABLE paimon.lab.w RENAME TO paimon.lab.x;
CREATE TABLE y (a INT);
ALTER TABLE w RENAME TO y;
ALTER TABLE nothing RENAME TO z;
SHOW TABLES;
-- # Adding New Columns
-- case: at the end and by position
CREATE TABLE t (a INT, b STRING);
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t ADD COLUMNS (c1 INT, c2 STRING COMMENT 'second');
ALTER TABLE t ADD COLUMN f INT FIRST;
ALTER TABLE t ADD COLUMN g INT AFTER a;
DESCRIBE t;
SELECT * FROM t;
INSERT INTO t VALUES (1, 2, 3, 'y', 4, 'z');
SELECT * FROM t;
ALTER TABLE t ADD COLUMN a INT;
ALTER TABLE t ADD COLUMN h INT AFTER nothing;
ALTER TABLE t ADD COLUMN h INT NOT NULL;
ALTER TABLE t ADD COLUMN h INT DEFAULT 5;
SELECT schema_id, fields FROM `t$schemas` ORDER BY schema_id;
-- case: nested fields
CREATE TABLE t (id INT, s STRUCT<f1: STRING, f2: INT>, l ARRAY<STRUCT<f1: STRING, f2: INT>>, m MAP<INT, STRUCT<f1: STRING, f2: INT>>);
INSERT INTO t VALUES (1, struct('a', 10), array(struct('b', 20)), map(1, struct('c', 30)));
ALTER TABLE t ADD COLUMN s.f3 STRING;
ALTER TABLE t ADD COLUMN l.element.f3 STRING;
ALTER TABLE t ADD COLUMN m.value.f3 STRING;
SELECT * FROM t;
ALTER TABLE t RENAME COLUMN s.f1 TO f100;
ALTER TABLE t RENAME COLUMN l.element.f1 TO f100;
ALTER TABLE t RENAME COLUMN m.value.f1 TO f100;
SELECT * FROM t;
ALTER TABLE t ALTER COLUMN s.f2 TYPE BIGINT;
ALTER TABLE t ALTER COLUMN l.element.f2 TYPE BIGINT;
ALTER TABLE t ALTER COLUMN m.value.f2 TYPE BIGINT;
SELECT * FROM t;
ALTER TABLE t DROP COLUMN s.f2;
ALTER TABLE t DROP COLUMN l.element.f2;
ALTER TABLE t DROP COLUMN m.value.f2;
SELECT * FROM t;
DESCRIBE t;
ALTER TABLE t DROP COLUMN s.nothing;
ALTER TABLE t ADD COLUMN s.f3 INT;
-- # Renaming Column Name
-- case: columns, keys and partitions
CREATE TABLE t (k INT, v INT, ts INT, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'k,day', 'bucket' = '1', 'sequence.field' = 'ts');
INSERT INTO t VALUES (1, 10, 5, 'mon');
ALTER TABLE t RENAME COLUMN v TO w;
SELECT * FROM t;
ALTER TABLE t RENAME COLUMN k TO kk;
ALTER TABLE t RENAME COLUMN ts TO stamp;
ALTER TABLE t RENAME COLUMN day TO d;
ALTER TABLE t RENAME COLUMN nothing TO x;
ALTER TABLE t RENAME COLUMN w TO kk;
SELECT * FROM t;
SELECT key, value FROM `t$options` WHERE key NOT IN ('path', 'owner');
SELECT primary_keys FROM `t$schemas` ORDER BY schema_id;
-- # Dropping Columns
-- case: some and what is not allowed
CREATE TABLE t (k INT, a INT, b INT, c INT, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'k,day', 'bucket' = '1');
INSERT INTO t VALUES (1, 2, 3, 4, 'mon');
ALTER TABLE t DROP COLUMNS (a, c);
SELECT * FROM t;
ALTER TABLE t DROP COLUMN k;
ALTER TABLE t DROP COLUMN day;
ALTER TABLE t DROP COLUMN nothing;
ALTER TABLE t DROP COLUMN IF EXISTS nothing;
ALTER TABLE t ADD COLUMN a STRING;
SELECT * FROM t;
-- # Dropping Partitions
-- case: add and drop
CREATE TABLE t (a INT, day STRING, hour INT) PARTITIONED BY (day, hour);
INSERT INTO t VALUES (1, 'mon', 1), (2, 'mon', 2), (3, 'tue', 1);
ALTER TABLE t DROP PARTITION (day = 'mon', hour = 1);
SELECT * FROM t;
ALTER TABLE t DROP PARTITION (day = 'mon');
ALTER TABLE t DROP PARTITION (day = 'sun', hour = 9);
ALTER TABLE t DROP IF EXISTS PARTITION (day = 'sun', hour = 9);
ALTER TABLE t DROP PARTITION (day = 'mon', hour = 2), PARTITION (day = 'tue', hour = 1);
ALTER TABLE t DROP PARTITION (nothing = 1);
SHOW PARTITIONS t;
ALTER TABLE t ADD PARTITION (day = 'fri', hour = 3);
SHOW PARTITIONS t;
SELECT snapshot_id, commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
CREATE TABLE u (a INT);
ALTER TABLE u DROP PARTITION (a = 1);
SHOW PARTITIONS u;
-- # Changing Column Comment
-- case: comments and positions
CREATE TABLE t (a INT, b INT, c INT);
INSERT INTO t VALUES (1, 2, 3);
ALTER TABLE t ALTER COLUMN b COMMENT 'how many';
ALTER TABLE t ALTER COLUMN c FIRST;
ALTER TABLE t ALTER COLUMN a AFTER b;
DESCRIBE t;
SELECT * FROM t;
ALTER TABLE t ALTER COLUMN nothing COMMENT 'x';
ALTER TABLE t CHANGE COLUMN b COMMENT 'again';
DESCRIBE t;
-- # Changing Column Type
-- case: wider and narrower
CREATE TABLE t (a INT, b BIGINT, f FLOAT, d DECIMAL(6, 2), day DATE, at TIMESTAMP_NTZ, s STRING, ti TINYINT);
INSERT INTO t VALUES (1, 2, 1.5, 3.25, DATE '2026-01-02', TIMESTAMP_NTZ '2026-01-02 03:04:05', '7', 3);
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
ALTER TABLE t ALTER COLUMN b TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN f TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(10, 4);
ALTER TABLE t ALTER COLUMN day TYPE TIMESTAMP_NTZ;
ALTER TABLE t ALTER COLUMN at TYPE STRING;
ALTER TABLE t ALTER COLUMN ti TYPE INT;
SELECT * FROM t;
DESCRIBE t;
ALTER TABLE t ALTER COLUMN s TYPE INT;
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(8, 4);
ALTER TABLE t ALTER COLUMN a TYPE BOOLEAN;
SELECT a, s FROM t;
-- case: keys and nullability
CREATE TABLE t (k INT, a INT NOT NULL, b INT, day INT) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'k,day', 'bucket' = '1');
ALTER TABLE t ALTER COLUMN k TYPE BIGINT;
ALTER TABLE t ALTER COLUMN day TYPE BIGINT;
ALTER TABLE t ALTER COLUMN a DROP NOT NULL;
ALTER TABLE t ALTER COLUMN b SET NOT NULL;
ALTER TABLE t ALTER COLUMN k DROP NOT NULL;
INSERT INTO t VALUES (1, NULL, 2, 3);
SELECT * FROM t;
