-- Statements of the pages Merge Engines, Changelog Producer, Sequence & Rowkind and Row Tracking, as Spark runs them.
-- # Partial Update
-- case: sequence groups
CREATE TABLE t (k INT, a INT, g1 INT, b INT, c INT, g2 INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'partial-update', 'fields.g1.sequence-group' = 'a', 'fields.g2.sequence-group' = 'b,c');
INSERT INTO t VALUES (1, 1, 1, 1, 1, 1);
INSERT INTO t VALUES (1, 2, 2, 2, 2, CAST(NULL AS INT));
INSERT INTO t VALUES (1, 3, 1, 3, 3, 3);
SELECT * FROM t;
SELECT c FROM t WHERE k = 1;
UPDATE t SET a = 9 WHERE k = 1;
SELECT * FROM t;
UPDATE t SET a = 9, g1 = 5 WHERE k = 1;
SELECT * FROM t;
DELETE FROM t WHERE k = 1;
SELECT count(*) FROM t;
-- case: aggregates within groups
CREATE TABLE t (k INT, a INT, b INT, c INT, d INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'partial-update', 'fields.a.sequence-group' = 'b', 'fields.b.aggregate-function' = 'first_value', 'fields.c.sequence-group' = 'd', 'fields.d.aggregate-function' = 'sum');
INSERT INTO t VALUES (1, 1, 1, CAST(NULL AS INT), CAST(NULL AS INT));
INSERT INTO t VALUES (1, CAST(NULL AS INT), CAST(NULL AS INT), 1, 1);
INSERT INTO t VALUES (1, 2, 2, CAST(NULL AS INT), CAST(NULL AS INT));
INSERT INTO t VALUES (1, CAST(NULL AS INT), CAST(NULL AS INT), 2, 2);
SELECT * FROM t;
SELECT b, d FROM t;
-- case: deletes
CREATE TABLE t (k INT, a INT, b STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'partial-update', 'partial-update.remove-record-on-delete' = 'true');
INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y');
INSERT INTO t (k, b) VALUES (1, 'z');
SELECT * FROM t;
DELETE FROM t WHERE k = 2;
SELECT * FROM t;
CREATE TABLE u (k INT, a INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'partial-update', 'ignore-delete' = 'true');
INSERT INTO u VALUES (1, 1);
DELETE FROM u WHERE k = 1;
SELECT * FROM u;
CREATE TABLE v (k INT, a INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'partial-update', 'fields.nothing.sequence-group' = 'a');
CREATE TABLE w (k INT, a INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'nothing');
-- # Aggregation
-- case: functions of numbers
CREATE TABLE t (k INT, s BIGINT, p BIGINT, c BIGINT, mx INT, mn DOUBLE, l STRING, ln STRING, f STRING, fn STRING, ba BOOLEAN, bo BOOLEAN) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'aggregation', 'fields.s.aggregate-function' = 'sum', 'fields.p.aggregate-function' = 'product', 'fields.c.aggregate-function' = 'sum', 'fields.mx.aggregate-function' = 'max', 'fields.mn.aggregate-function' = 'min', 'fields.l.aggregate-function' = 'last_value', 'fields.ln.aggregate-function' = 'last_non_null_value', 'fields.f.aggregate-function' = 'first_value', 'fields.fn.aggregate-function' = 'first_non_null_value', 'fields.ba.aggregate-function' = 'bool_and', 'fields.bo.aggregate-function' = 'bool_or');
INSERT INTO t VALUES (1, 1, 2, 1, 5, 5.5, 'a', 'a', NULL, NULL, true, false), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO t VALUES (1, 10, 3, 1, 3, 2.5, NULL, NULL, 'f', 'f', true, false), (2, 1, 1, 1, 1, 1, 'x', 'x', 'x', 'x', true, true);
INSERT INTO t VALUES (1, 100, 4, 1, 9, 7.5, 'c', 'c', 'g', 'g', false, true);
SELECT * FROM t;
CALL sys.compact(table => 'lab.t', compact_strategy => 'full');
SELECT * FROM t;
SELECT sum(s), max(mx) FROM t;
-- case: functions of collections
CREATE TABLE t (k INT, l STRING, c ARRAY<INT>, d ARRAY<INT>, m MAP<STRING, INT>, n ARRAY<STRUCT<id: INT, v: STRING>>) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'aggregation', 'fields.l.aggregate-function' = 'listagg', 'fields.l.list-agg-delimiter' = ';', 'fields.c.aggregate-function' = 'collect', 'fields.d.aggregate-function' = 'collect', 'fields.d.distinct' = 'true', 'fields.m.aggregate-function' = 'merge_map', 'fields.n.aggregate-function' = 'nested_update', 'fields.n.nested-key' = 'id');
INSERT INTO t VALUES (1, 'a', array(1, 2), array(1, 2), map('x', 1, 'y', 2), array(named_struct('id', 1, 'v', 'one')));
INSERT INTO t VALUES (1, 'b', array(2, 3), array(2, 3), map('y', 3), array(named_struct('id', 1, 'v', 'eins'), named_struct('id', 2, 'v', 'zwei')));
SELECT k, l, c, d, n FROM t;
SELECT m['x'], m['y'], size(m) FROM t;
SELECT l FROM t WHERE k = 1;
SELECT * FROM `t$aggregation_fields`;
CREATE TABLE u (k INT, a STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'aggregation', 'fields.a.aggregate-function' = 'sum');
INSERT INTO u VALUES (1, 'a');
INSERT INTO u VALUES (1, 'b');
SELECT * FROM u;
CREATE TABLE v (k INT, a INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'aggregation', 'fields.a.aggregate-function' = 'nothing');
INSERT INTO v VALUES (1, 1);
INSERT INTO v VALUES (1, 1);
SELECT * FROM v;
CREATE TABLE w (k INT, a INT, b INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'aggregation', 'fields.default-aggregate-function' = 'max', 'fields.b.aggregate-function' = 'sum');
INSERT INTO w VALUES (1, 1, 1);
INSERT INTO w VALUES (1, 5, 5);
INSERT INTO w VALUES (1, 3, 3);
SELECT * FROM w;
DELETE FROM w WHERE a = 5;
-- # First Row
-- case: with lookups
CREATE TABLE t (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'merge-engine' = 'first-row');
INSERT INTO t VALUES (1, 'a'), (1, 'b'), (2, 'c');
INSERT INTO t VALUES (1, 'd'), (3, 'e');
SELECT * FROM t;
SELECT rowkind, * FROM `t$audit_log`;
DELETE FROM t WHERE k = 1;
UPDATE t SET v = 'z' WHERE k = 1;
MERGE INTO t USING (SELECT 1 AS k, 'm' AS v) s ON t.k = s.k WHEN NOT MATCHED THEN INSERT *;
SELECT count(*) FROM t WHERE v = 'a';
-- # Sequence & Rowkind
-- case: sequence fields
CREATE TABLE t (k INT, v STRING, ts INT, n INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'sequence.field' = 'ts,n');
INSERT INTO t VALUES (1, 'new', 5, 1), (2, 'x', 1, 1);
INSERT INTO t VALUES (1, 'old', 4, 9), (2, 'y', 1, 2);
SELECT * FROM t;
INSERT INTO t VALUES (1, 'same', 5, 1), (2, 'null', NULL, 1);
SELECT * FROM t;
CREATE TABLE u (k INT, v STRING, ts INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'sequence.field' = 'ts', 'sequence.field.sort-order' = 'descending');
INSERT INTO u VALUES (1, 'five', 5);
INSERT INTO u VALUES (1, 'nine', 9), (1, 'two', 2);
SELECT * FROM u;
CREATE TABLE w (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'sequence.field' = 'nothing');
CREATE TABLE w (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'sequence.field' = 'k');
-- case: row kinds from a column
CREATE TABLE t (k INT, v STRING, op STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'rowkind.field' = 'op');
INSERT INTO t VALUES (1, 'a', '+I'), (2, 'b', '+I');
INSERT INTO t VALUES (1, 'a', '-D'), (2, 'c', '+U');
SELECT * FROM t;
INSERT INTO t VALUES (3, 'a', 'nothing');
CREATE TABLE u (k INT, v STRING) TBLPROPERTIES ('bucket' = '-1', 'rowkind.field' = 'v');
-- # Changelog Producer
-- case: lookup and full compaction
CREATE TABLE t (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'changelog-producer' = 'lookup');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t VALUES (1, 'c'), (3, 'd');
DELETE FROM t WHERE k = 2;
SELECT rowkind, k, v FROM `t$audit_log`;
SELECT * FROM paimon_incremental_query('t', '1', '4');
SELECT rowkind, k, v FROM `t$audit_log` WHERE rowkind = '-D';
SELECT snapshot_id, commit_kind, changelog_record_count FROM `t$snapshots` ORDER BY snapshot_id;
CREATE TABLE u (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'changelog-producer' = 'full-compaction', 'full-compaction.delta-commits' = '1');
INSERT INTO u VALUES (1, 'a'), (2, 'b');
INSERT INTO u VALUES (1, 'c'), (3, 'd');
SELECT rowkind, k, v FROM `u$audit_log`;
SELECT * FROM `u$binlog`;
CREATE TABLE w (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'changelog-producer' = 'input');
INSERT INTO w VALUES (1, 'a');
INSERT INTO w VALUES (1, 'b');
DELETE FROM w WHERE k = 1;
SELECT rowkind, k, v FROM `w$audit_log`;
SELECT * FROM `w$binlog`;
CREATE TABLE x (k INT) TBLPROPERTIES ('changelog-producer' = 'lookup');
CREATE TABLE x (k INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'changelog-producer' = 'nothing');
-- case: incremental reads of deletes
CREATE TABLE t (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1');
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO t VALUES (1, 'A'), (4, 'd');
DELETE FROM t WHERE k = 2;
SELECT * FROM paimon_incremental_query('t', '1', '3');
SELECT * FROM t WITH ('incremental-between' = '1,3', 'incremental-between-scan-mode' = 'diff');
SELECT * FROM t WITH ('incremental-between' = '1,2', 'incremental-between-scan-mode' = 'delta');
SELECT rowkind, k, v FROM `t$audit_log` WITH ('incremental-between' = '1,3');
SELECT rowkind, k, v FROM `t$audit_log` WITH ('incremental-between' = '1,3', 'incremental-between-scan-mode' = 'diff');
SELECT * FROM paimon_incremental_query('t', '2', '2');
SELECT * FROM paimon_incremental_query('t', '3', '1');
SELECT * FROM paimon_incremental_query('t', '1', '9');
-- # Row Tracking
-- case: append tables
CREATE TABLE t (id INT, v STRING) TBLPROPERTIES ('row-tracking.enabled' = 'true');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t VALUES (3, 'c');
SELECT id, v, _ROW_ID, _SEQUENCE_NUMBER FROM t ORDER BY id;
UPDATE t SET v = 'z' WHERE id = 2;
SELECT id, v, _ROW_ID, _SEQUENCE_NUMBER FROM t ORDER BY id;
DELETE FROM t WHERE id = 1;
MERGE INTO t USING (SELECT 3 AS id, 'm' AS v UNION ALL SELECT 9, 'n') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *;
SELECT id, v, _ROW_ID, _SEQUENCE_NUMBER FROM t ORDER BY id;
SELECT * FROM `t$row_tracking`;
CREATE TABLE u (k INT, v STRING) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', 'row-tracking.enabled' = 'true');
SELECT id FROM t WHERE _ROW_ID = 2;
-- case: data evolution
CREATE TABLE t (id INT, b INT) TBLPROPERTIES ('row-tracking.enabled' = 'true', 'data-evolution.enabled' = 'true');
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
ALTER TABLE t ADD COLUMN c STRING;
MERGE INTO t USING (SELECT 1 AS id, 'one' AS c UNION ALL SELECT 3, 'three') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.c = s.c;
SELECT * FROM t ORDER BY id;
SELECT id, c, _ROW_ID FROM t ORDER BY id;
UPDATE t SET b = 9 WHERE id = 1;
DELETE FROM t WHERE id = 1;
SELECT count(*) FROM t;
