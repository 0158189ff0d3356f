-- Changes of rows, of the page SQL Write.
-- # Update Table
-- case: append table
CREATE TABLE t (id INT, s STRUCT<c1: INT, c2: STRING>, name STRING, price DECIMAL(8, 2), day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, struct(1, 'a'), 'x', 1.50, 'mon'), (2, struct(2, 'b'), 'y', 2.50, 'tue'), (3, NULL, NULL, NULL, 'tue');
UPDATE t SET name = 'new' WHERE id = 1;
UPDATE t SET s.c2 = 'changed' WHERE s.c1 = 2;
UPDATE t SET price = price * 2 + id, name = concat(coalesce(name, '?'), '!') WHERE day = 'tue';
SELECT * FROM t;
UPDATE t SET day = 'wed' WHERE id = 3;
SELECT * FROM t;
UPDATE t SET name = upper(name);
SELECT id, name FROM t;
UPDATE t SET id = id + 100 WHERE id IN (SELECT max(id) FROM t);
UPDATE t AS x SET x.price = 0 WHERE x.id > 100;
SELECT id, price, day FROM t;
UPDATE t SET nothing = 1;
UPDATE t SET id = 'word' WHERE id = 1;
UPDATE t SET id = 1, id = 2;
UPDATE nothing SET a = 1;
UPDATE t SET name = 'never' WHERE id = 77;
SELECT snapshot_id, commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
-- case: primary keys
CREATE TABLE t (id INT, s STRUCT<c1: INT, c2: STRING>, name STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2');
INSERT INTO t VALUES (1, struct(1, 'a'), 'x'), (2, struct(2, 'b'), 'y'), (3, struct(3, 'c'), 'z');
UPDATE t SET name = 'a_new' WHERE id = 1;
UPDATE t SET s.c2 = 'a_new' WHERE s.c1 = 1;
UPDATE t SET id = 9 WHERE id = 1;
UPDATE t SET name = (SELECT max(name) FROM t) WHERE id = 2;
UPDATE t SET name = CASE WHEN id > 2 THEN 'big' ELSE name END;
SELECT * FROM t;
-- case: deletion vectors
CREATE TABLE a (id INT, v STRING) TBLPROPERTIES ('deletion-vectors.enabled' = 'true');
INSERT INTO a SELECT /*+ REPARTITION(1) */ id, 'v' FROM range(6);
UPDATE a SET v = 'w' WHERE id = 2;
DELETE FROM a WHERE id > 4 OR id = 0;
SELECT * FROM a;
SELECT commit_kind, operation FROM `a$snapshots` ORDER BY snapshot_id;
CREATE TABLE p (id INT, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'deletion-vectors.enabled' = 'true');
INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO p VALUES (2, 'B');
DELETE FROM p WHERE id = 3;
UPDATE p SET v = 'A' WHERE id = 1;
SELECT * FROM p;
-- # Delete From Table
-- case: conditions and subqueries
CREATE TABLE t (id INT, v STRING, day STRING) PARTITIONED BY (day);
CREATE TABLE gone (id INT);
INSERT INTO t VALUES (1, 'a', 'mon'), (2, NULL, 'mon'), (3, 'c', 'tue'), (4, 'd', 'wed'), (5, 'e', 'wed');
INSERT INTO gone VALUES (4), (99);
DELETE FROM t WHERE v IS NULL;
DELETE FROM t WHERE day = 'tue';
SELECT * FROM t;
DELETE FROM t WHERE id IN (SELECT id FROM gone);
SELECT * FROM t;
DELETE FROM t WHERE EXISTS (SELECT 1 FROM gone WHERE gone.id = t.id + 94);
SELECT * FROM t;
DELETE FROM t WHERE id = 77;
DELETE FROM t WHERE nothing = 1;
DELETE FROM t WHERE id = 'word';
DELETE FROM nothing;
DELETE FROM t;
SELECT count(*) FROM t;
SELECT commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
-- case: primary keys
CREATE TABLE t (id INT, v STRING, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'id,day', 'bucket' = '1', 'changelog-producer' = 'input');
INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'mon'), (3, 'c', 'tue');
DELETE FROM t WHERE id = 1 AND v LIKE 'a%';
DELETE FROM t WHERE day = 'tue';
SELECT * FROM t;
SELECT rowkind, id, v FROM `t$audit_log`;
DELETE FROM t AS x WHERE x.id BETWEEN 2 AND 3;
SELECT count(*) FROM t;
-- # Merge Into Table
-- case: simple upsert
CREATE TABLE target (a INT, b INT, c STRING) TBLPROPERTIES ('primary-key' = 'a', 'bucket' = '2');
CREATE TABLE source (a INT, b INT, c STRING);
INSERT INTO target VALUES (1, 10, 'c1'), (2, 20, 'c2'), (5, 50, 'c5');
INSERT INTO source VALUES (1, 100, 'c11'), (3, 300, 'c33'), (5, 500, 'c55'), (7, 700, 'c700');
MERGE INTO target USING source ON target.a = source.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM target;
MERGE INTO target USING source ON target.a = source.a WHEN MATCHED AND target.a = 5 THEN UPDATE SET b = source.b + target.b WHEN MATCHED AND source.c > 'c2' THEN UPDATE SET * WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND c > 'c9' THEN INSERT (a, b, c) VALUES (a, b * 1.1, c) WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM target;
MERGE INTO target t USING (SELECT a + 100 AS x, c FROM source) s ON t.a = s.x WHEN NOT MATCHED AND s.x > 104 THEN INSERT (a, c) VALUES (s.x, upper(s.c));
SELECT * FROM target;
MERGE INTO target USING source ON target.a = source.a WHEN NOT MATCHED BY SOURCE AND target.a > 100 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET c = 'lonely';
SELECT * FROM target;
MERGE INTO target USING source ON target.a = source.a WHEN MATCHED THEN UPDATE SET a = 1;
MERGE INTO target USING source ON target.a = source.a WHEN MATCHED THEN UPDATE SET nothing = 1;
MERGE INTO target USING nothing ON target.a = nothing.a WHEN MATCHED THEN DELETE;
MERGE INTO target USING source ON target.a = source.a WHEN NOT MATCHED THEN INSERT (a) VALUES (1, 2);
MERGE INTO target USING source ON target.a = source.a;
-- case: append table
CREATE TABLE target (a INT, b INT, c STRING, day STRING) PARTITIONED BY (day);
INSERT INTO target VALUES (1, 10, 'c1', 'mon'), (2, 20, 'c2', 'mon'), (3, 30, 'c3', 'tue');
MERGE INTO target USING (SELECT * FROM VALUES (1, 11, 'n1', 'mon'), (4, 40, 'n4', 'wed') AS v(a, b, c, day)) s ON target.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b, c = concat(target.c, s.c) WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM target;
MERGE INTO target USING (SELECT 2 AS a UNION ALL SELECT 3) s ON target.a = s.a AND target.day = 'tue' WHEN MATCHED THEN DELETE;
SELECT * FROM target;
MERGE INTO target USING (SELECT 1 AS a, 1 AS b UNION ALL SELECT 1, 2) s ON target.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b;
MERGE INTO target USING (SELECT 99 AS a) s ON target.a = s.a WHEN MATCHED THEN DELETE;
SELECT snapshot_id, commit_kind, operation FROM `target$snapshots` ORDER BY snapshot_id;
MERGE INTO target USING (SELECT 50 AS a) s ON false WHEN NOT MATCHED THEN INSERT (a, day) VALUES (s.a, 'sun');
SELECT * FROM target;
MERGE INTO target USING (SELECT 1 AS a, 2 AS b) s ON target.a = s.a WHEN MATCHED THEN UPDATE SET *;
MERGE INTO target USING (SELECT 1 AS a, 2 AS b, 'x' AS c, 'mon' AS day, 7 AS more) s ON target.a = s.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM target;
SET `spark.paimon.write.merge-schema` = true;
MERGE INTO target USING (SELECT 1 AS a, 2 AS b, 'y' AS c, 'mon' AS day, 7 AS more) s ON target.a = s.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM target;
-- case: deletion vectors and structs
CREATE TABLE target (a INT, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>) TBLPROPERTIES ('deletion-vectors.enabled' = 'true');
INSERT INTO target VALUES (1, struct(1, 'a'), array(1)), (2, struct(2, 'b'), NULL), (3, NULL, array(3, 4));
MERGE INTO target USING (SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 9) s ON target.a = s.a WHEN MATCHED AND s.a = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET s.y = 'deep', l = array(7, 8) WHEN NOT MATCHED THEN INSERT (a, s) VALUES (s.a, named_struct('x', 0, 'y', 'z'));
SELECT * FROM target;
