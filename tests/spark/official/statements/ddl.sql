-- Statements of the page SQL DDL.
-- # Create Table
-- case: primary key over two partitions
CREATE TABLE visits (person BIGINT, shop BIGINT, deed STRING, day STRING, hour STRING) TBLPROPERTIES ('primary-key' = 'day,hour,person');
DESCRIBE visits;
SHOW TBLPROPERTIES visits;
CREATE TABLE visits (a INT);
CREATE TABLE IF NOT EXISTS visits (a INT);
INSERT INTO visits VALUES (1, 10, 'look', '2026-01-01', '08'), (1, 11, 'buy', '2026-01-01', '08'), (2, 10, 'look', '2026-01-02', '09');
SELECT * FROM visits;
SELECT count(*) FROM `visits$snapshots`;
DROP TABLE visits;
DROP TABLE visits;
DROP TABLE IF EXISTS visits;
-- case: partitioned table
CREATE TABLE visits (person BIGINT, deed STRING, day STRING, hour INT) PARTITIONED BY (day, hour) TBLPROPERTIES ('primary-key' = 'day,hour,person', 'bucket' = '2');
INSERT INTO visits VALUES (1, 'look', '2026-01-01', 8), (2, 'buy', '2026-01-02', 9), (3, NULL, '2026-01-02', 10);
SELECT * FROM visits WHERE day = '2026-01-02' AND hour > 9;
SHOW PARTITIONS visits;
SHOW PARTITIONS visits PARTITION (day = '2026-01-02');
DESCRIBE TABLE visits;
DESCRIBE TABLE EXTENDED visits;
-- case: partition columns in the middle
CREATE TABLE logs (id INT, day DATE, text STRING) PARTITIONED BY (day);
INSERT INTO logs VALUES (1, DATE '2026-01-01', 'a'), (2, NULL, 'b');
SELECT * FROM logs;
DESCRIBE logs;
SHOW PARTITIONS logs;
-- case: comments and not null
CREATE TABLE goods (id INT NOT NULL COMMENT 'the key', name STRING COMMENT 'what it is', price DECIMAL(8, 2)) COMMENT 'things to sell' TBLPROPERTIES ('bucket' = '-1', 'file.format' = 'parquet');
DESCRIBE goods;
DESCRIBE EXTENDED goods;
SHOW COLUMNS IN goods;
INSERT INTO goods VALUES (NULL, 'x', 1);
INSERT INTO goods VALUES (1, 'x', 1.239);
INSERT INTO goods VALUES (1, 'x', 1.23);
SELECT * FROM goods;
-- case: using paimon and file formats
CREATE TABLE o (a INT, b STRING) USING paimon TBLPROPERTIES ('file.format' = 'orc');
INSERT INTO o VALUES (1, 'x'), (2, NULL);
SELECT * FROM o;
CREATE TABLE v (a INT, b STRING) USING paimon TBLPROPERTIES ('file.format' = 'avro');
INSERT INTO v VALUES (1, 'x'), (2, NULL);
SELECT * FROM v;
SELECT DISTINCT file_format FROM `v$files`;
-- case: definitions that are wrong
CREATE TABLE w (a INT) TBLPROPERTIES ('primary-key' = 'b');
CREATE TABLE w (a INT, b STRING) PARTITIONED BY (c);
CREATE TABLE w (a INT, a STRING);
CREATE TABLE w (a INT) TBLPROPERTIES ('bucket' = 'two');
CREATE TABLE w (a INT) TBLPROPERTIES ('bucket' = '2');
CREATE TABLE w (a INT) TBLPROPERTIES ('merge-engine' = 'unknown', 'primary-key' = 'a');
CREATE TABLE w (a INT, b INT) TBLPROPERTIES ('primary-key' = 'a', 'merge-engine' = 'deduplicate', 'sequence.field' = 'c');
CREATE TABLE w (a INT, b INT) TBLPROPERTIES ('bucket' = '2', 'bucket-key' = 'c');
CREATE TABLE w (a INT, b ARRAY<INT>) TBLPROPERTIES ('primary-key' = 'b');
CREATE TABLE nothing.w (a INT);
CREATE TABLE w (a INT) TBLPROPERTIES ('file.format' = 'word');
SHOW TABLES;
-- case: location and other formats
CREATE TABLE l (a INT) LOCATION '/tmp/somewhere';
CREATE TABLE c (a INT) USING csv;
CREATE TABLE c (a INT) USING json;
-- # Create Table As Select
-- case: of plain and partitioned tables
CREATE TABLE src (id BIGINT, item STRING, day STRING, hour STRING) PARTITIONED BY (day, hour) TBLPROPERTIES ('primary-key' = 'id,day,hour', 'file.format' = 'orc');
INSERT INTO src VALUES (1, 'pen', 'mon', '1'), (2, 'ink', 'tue', '2');
CREATE TABLE plain AS SELECT * FROM src;
SELECT * FROM plain;
SHOW PARTITIONS plain;
DESCRIBE plain;
CREATE TABLE by_day PARTITIONED BY (day) AS SELECT * FROM src;
SHOW PARTITIONS by_day;
CREATE TABLE as_parquet TBLPROPERTIES ('file.format' = 'parquet') AS SELECT * FROM src WHERE id > 1;
SELECT * FROM as_parquet;
CREATE TABLE keyed TBLPROPERTIES ('primary-key' = 'day') AS SELECT * FROM src;
SELECT * FROM keyed;
CREATE TABLE keyed_by_day PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'day,hour') AS SELECT * FROM src;
SELECT * FROM keyed_by_day;
CREATE TABLE counted AS SELECT day, count(*) AS n, max(id) AS last FROM src GROUP BY day;
SELECT * FROM counted;
CREATE TABLE plain AS SELECT 1 AS a;
CREATE TABLE IF NOT EXISTS plain AS SELECT 1 AS a;
SELECT count(*) FROM plain;
-- # Replace Table
-- case: keeps old snapshots
CREATE TABLE r (id BIGINT, n BIGINT, deed STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2');
INSERT INTO r VALUES (1, 10, 'pv'), (2, 20, 'uv');
REPLACE TABLE r (id BIGINT, n BIGINT, kind STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '4');
SELECT * FROM r;
SELECT * FROM r VERSION AS OF 1;
DESCRIBE r;
INSERT INTO r VALUES (5, 50, 'x');
SELECT * FROM r;
SELECT snapshot_id, schema_id, commit_kind, operation FROM `r$snapshots` ORDER BY snapshot_id;
REPLACE TABLE nothing (a INT);
CREATE OR REPLACE TABLE r TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1') AS SELECT 7L AS id, 'seven' AS word;
SELECT * FROM r;
CREATE OR REPLACE TABLE r2 (a INT);
INSERT INTO r2 VALUES (1);
SELECT * FROM r2;
-- # Create Table Like
-- case: copies the definition
CREATE TABLE src (id INT COMMENT 'c', name STRING, day STRING) COMMENT 'source' PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'id,day', 'bucket' = '5');
INSERT INTO src VALUES (1, 'a', 'mon');
CREATE TABLE twin LIKE src;
DESCRIBE twin;
SELECT * FROM twin;
SHOW TBLPROPERTIES twin;
CREATE TABLE twin LIKE src;
CREATE TABLE IF NOT EXISTS twin LIKE src;
CREATE TABLE other LIKE src TBLPROPERTIES ('bucket' = '3');
SELECT value FROM `other$options` WHERE key = 'bucket';
CREATE TABLE none LIKE nothing;
-- # View
-- case: temporary and persistent
CREATE TABLE t (a INT, b STRING);
INSERT INTO t VALUES (1, 'x'), (2, 'y');
CREATE TEMPORARY VIEW tv AS SELECT a FROM t WHERE b = 'y';
SELECT * FROM tv;
CREATE OR REPLACE TEMPORARY VIEW tv AS SELECT b FROM t;
SELECT * FROM tv;
CREATE TEMPORARY VIEW tv AS SELECT 1;
SHOW VIEWS;
DROP VIEW tv;
SELECT * FROM tv;
CREATE VIEW pv AS SELECT * FROM t;
DROP VIEW IF EXISTS pv;
DROP VIEW pv;
-- # Tag
-- case: create, replace, rename, delete
CREATE TABLE t (a INT) TBLPROPERTIES ('primary-key' = 'a', 'bucket' = '1');
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
INSERT INTO t VALUES (3);
ALTER TABLE t CREATE TAG `tag-1`;
ALTER TABLE t CREATE TAG `tag-1`;
ALTER TABLE t CREATE TAG IF NOT EXISTS `tag-1`;
ALTER TABLE t CREATE TAG `tag-2` RETAIN 7 DAYS;
ALTER TABLE t CREATE TAG `tag-3` AS OF VERSION 1;
ALTER TABLE t CREATE TAG `tag-4` AS OF VERSION 2 RETAIN 12 HOURS;
ALTER TABLE t CREATE TAG bad AS OF VERSION 99;
SHOW TAGS t;
SELECT tag_name, snapshot_id, schema_id, record_count, time_retained FROM `t$tags` ORDER BY tag_name;
ALTER TABLE t REPLACE TAG `tag-4` AS OF VERSION 1 RETAIN 24 HOURS;
ALTER TABLE t CREATE OR REPLACE TAG `tag-5` AS OF VERSION 2 RETAIN 24 HOURS;
ALTER TABLE t REPLACE TAG missing AS OF VERSION 2;
SELECT tag_name, snapshot_id, time_retained FROM `t$tags` ORDER BY tag_name;
SELECT * FROM t VERSION AS OF 'tag-4';
ALTER TABLE t RENAME TAG `tag-1` TO `tag-9`;
ALTER TABLE t RENAME TAG nothing TO `tag-8`;
ALTER TABLE t DELETE TAG `tag-9`;
ALTER TABLE t DELETE TAG `tag-2,tag-3`;
ALTER TABLE t DELETE TAG IF EXISTS nothing;
ALTER TABLE t DELETE TAG nothing;
SHOW TAGS t;
SHOW TAGS nothing;
-- # Database
-- case: create, describe and drop
CREATE DATABASE paimon.second;
CREATE DATABASE paimon.second;
CREATE DATABASE IF NOT EXISTS paimon.second;
SHOW DATABASES LIKE 'sec*';
DESCRIBE DATABASE paimon.second;
CREATE TABLE paimon.second.t (a INT);
USE paimon.second;
SELECT current_catalog(), current_database();
SHOW TABLES;
SHOW TABLES IN paimon.lab;
USE lab;
DROP DATABASE paimon.second;
DROP DATABASE paimon.second CASCADE;
DROP DATABASE paimon.second;
DROP DATABASE IF EXISTS paimon.second;
SHOW NAMESPACES LIKE 'sec*';
USE paimon.nothing;
-- case: comments and properties of databases
CREATE DATABASE paimon.third COMMENT 'with words' WITH DBPROPERTIES ('a' = 'b');
DESCRIBE DATABASE EXTENDED paimon.third;
ALTER DATABASE paimon.third SET DBPROPERTIES ('c' = 'd');
DROP DATABASE IF EXISTS paimon.third CASCADE;
-- case: show tables
CREATE TABLE apple (a INT);
CREATE TABLE avocado (a INT);
CREATE TABLE banana (a INT);
SHOW TABLES;
SHOW TABLES LIKE 'a*';
SHOW TABLES IN lab LIKE 'b*|av*';
SHOW TABLES IN nothing;
