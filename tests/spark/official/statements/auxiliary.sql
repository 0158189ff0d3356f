-- Statements of the page Auxiliary Statements, types, and system tables.
-- # Set / Reset
-- case: settings
SET spark.paimon.file.block-size=512M;
SET spark.paimon.file.block-size;
RESET spark.paimon.file.block-size;
SET spark.paimon.file.block-size;
-- # Show create table
-- case: texts
CREATE TABLE t (id INT NOT NULL COMMENT 'key', v STRING, day STRING) COMMENT 'words' PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'id,day', 'bucket' = '2');
SHOW CREATE TABLE t;
SHOW COLUMNS FROM t;
SHOW COLUMNS IN nothing;
DESCRIBE t v;
DESCRIBE TABLE EXTENDED t;
DESCRIBE t nothing;
DESCRIBE nothing;
INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'tue');
SHOW TABLE EXTENDED IN lab LIKE 't*';
SHOW TABLE EXTENDED IN lab LIKE 't' PARTITION (day = 'mon');
SHOW TABLE EXTENDED IN lab LIKE 't' PARTITION (day = 'sun');
SHOW PARTITIONS t PARTITION (day = 'sun');
SHOW VIEWS LIKE 'test*';
DESCRIBE QUERY SELECT id, v FROM t;
REFRESH TABLE t;
REFRESH TABLE nothing;
-- # Analyze table
-- case: statistics
CREATE TABLE t (id INT, v STRING, d DOUBLE);
INSERT INTO t VALUES (1, 'a', 1.5), (2, NULL, 2.5), (2, 'ccc', NULL);
ANALYZE TABLE t COMPUTE STATISTICS;
SELECT snapshot_id, schema_id, mergedRecordCount, colstat FROM `t$statistics`;
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS id, v;
SELECT colstat FROM `t$statistics`;
ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS;
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS nothing;
ANALYZE TABLE nothing COMPUTE STATISTICS;
ANALYZE TABLE t COMPUTE STATISTICS NOSCAN;
SELECT snapshot_id, commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
-- # System tables
-- case: columns of each
CREATE TABLE t (k INT, v STRING, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'k,day', 'bucket' = '1');
INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'tue');
INSERT INTO t VALUES (1, 'A', 'mon');
CALL sys.create_tag('t', 'one', 1);
CALL sys.create_branch('t', 'dev', 'one');
SELECT * FROM `t$snapshots` ORDER BY snapshot_id;
SELECT * FROM `t$schemas`;
SELECT * FROM `t$options`;
SELECT * FROM `t$tags`;
SELECT * FROM `t$branches`;
SELECT * FROM `t$files`;
SELECT * FROM `t$manifests`;
SELECT * FROM `t$partitions`;
SELECT * FROM `t$buckets`;
SELECT * FROM `t$audit_log`;
SELECT * FROM `t$binlog`;
SELECT * FROM `t$ro`;
SELECT * FROM `t$consumers`;
SELECT * FROM `t$statistics`;
SELECT * FROM `t$aggregation_fields`;
SELECT * FROM `t$table_indexes`;
SELECT * FROM `t$physical_files_size`;
SELECT * FROM `t$row_tracking`;
SELECT * FROM `t$nothing`;
SELECT * FROM paimon.sys.all_tables;
SELECT * FROM paimon.sys.catalog_options;
SELECT * FROM paimon.sys.all_table_options;
SELECT * FROM paimon.sys.tables;
SELECT * FROM paimon.sys.partitions;
SHOW TABLES IN paimon.sys;
INSERT INTO `t$snapshots` VALUES (1);
SELECT count(*) FROM `t$files` WHERE partition = '{mon}';
DESCRIBE `t$snapshots`;
-- # Types
-- case: every type
CREATE TABLE t (b BOOLEAN, ti TINYINT, si SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, de DECIMAL(20, 5), s STRING, c CHAR(3), vc VARCHAR(5), bi BINARY, da DATE, ts TIMESTAMP, nt TIMESTAMP_NTZ, ar ARRAY<INT>, ma MAP<STRING, INT>, st STRUCT<x: INT, y: ARRAY<STRING>>);
INSERT INTO t VALUES (true, 1, 2, 3, 4, 1.5, 2.5, 12345.67891, 'text', 'ab', 'vc', X'CAFE', DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05.123456', TIMESTAMP_NTZ '2026-01-02 03:04:05.5', array(1, NULL), map('k', 1), named_struct('x', 1, 'y', array('z')));
INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT * FROM t;
DESCRIBE t;
INSERT INTO t (vc) VALUES ('too long');
INSERT INTO t (ti) VALUES (1000);
CREATE TABLE v (a VARIANT);
INSERT INTO v SELECT parse_json('{"x": 1}');
SELECT variant_get(a, '$.x', 'int') AS x FROM v;
CREATE TABLE w (a INTERVAL DAY TO SECOND);
CREATE TABLE parts (v INT, b BOOLEAN, d DATE, i INT, t STRING) PARTITIONED BY (b, d, i, t);
INSERT INTO parts VALUES (1, true, DATE '2026-01-02', 7, 'a b/c=d'), (2, NULL, NULL, NULL, NULL), (3, false, DATE '2026-01-03', -1, '');
SELECT * FROM parts;
SHOW PARTITIONS parts;
SELECT partition FROM `parts$partitions`;
SELECT v FROM parts WHERE t = 'a b/c=d' OR d IS NULL;
