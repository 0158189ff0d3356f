-- Statements of the page Procedures.
-- # compact
-- case: arguments
CREATE TABLE t (a INT, b INT, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'a,day', 'bucket' = '1', 'write-only' = 'true');
INSERT INTO t VALUES (1, 1, 'mon'), (2, 2, 'tue');
INSERT INTO t VALUES (1, 10, 'mon'), (2, 20, 'tue');
CALL sys.compact(table => 'lab.t', partitions => 'day=mon');
SELECT partition, level FROM `t$files`;
CALL sys.compact(table => 'lab.t', where => "day = 'tue'");
SELECT partition, level FROM `t$files`;
CALL sys.compact('lab.t');
CALL paimon.sys.compact(table => 't', compact_strategy => 'minor');
CALL sys.compact(table => 't', options => 'num-levels=3');
CALL sys.compact(table => 't', where => "a = 1");
CALL sys.compact(table => 't', partitions => 'day=mon', where => "day = 'mon'");
CALL sys.compact(table => 't', order_strategy => 'order', order_by => 'a');
CALL sys.compact(table => 't', partition_idle_time => '1 h');
CALL sys.compact(table => 't', nothing => 1);
CALL sys.compact();
CALL sys.compact(table => 'nothing');
CALL sys.nothing(table => 't');
SELECT snapshot_id, commit_kind, operation FROM `t$snapshots` ORDER BY snapshot_id;
SELECT * FROM t;
-- case: order and append tables
CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ('bucket' = '-1');
INSERT INTO t VALUES (3, 'c'), (1, 'a');
INSERT INTO t VALUES (2, 'b');
CALL sys.compact(table => 't', order_strategy => 'zorder', order_by => 'a,b');
SELECT commit_kind FROM `t$snapshots` ORDER BY snapshot_id;
CALL sys.compact(table => 't', order_strategy => 'hilbert', order_by => 'a,b');
CALL sys.compact(table => 't', order_strategy => 'order', order_by => 'nothing');
CALL sys.compact(table => 't', order_strategy => 'strange', order_by => 'a');
CALL sys.compact(table => 't', compact_strategy => 'strange');
CALL sys.compact(table => 't', order_strategy => 'none');
SELECT count(*) FROM `t$files`;
CALL sys.compact_database(including_databases => 'lab');
CALL sys.compact_database();
CALL sys.compact_database(including_databases => 'lab', including_tables => 'lab.t', excluding_tables => 'lab.x', options => 'target-file-size=128m');
CALL sys.compact_manifest(`table` => 't');
CALL sys.compact_manifest(`table` => 't', dry_run => true);
CALL sys.compact_manifest(`table` => 't', options => 'manifest.target-file-size=1m');
SELECT * FROM t;
-- # expire_snapshots
-- case: by number and time
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
INSERT INTO t VALUES (3);
INSERT INTO t VALUES (4);
CALL sys.expire_snapshots(table => 't', retain_max => 3);
SELECT snapshot_id FROM `t$snapshots` ORDER BY snapshot_id;
CALL sys.expire_snapshots(table => 't', retain_max => 2, options => 'snapshot.expire.limit=1');
@mark;
INSERT INTO t VALUES (5);
CALL sys.expire_snapshots(table => 't', older_than => '{mark_text}', retain_min => 1);
CALL sys.expire_snapshots('t', 1, 1, '2020-01-01 00:00:00', 5);
SELECT snapshot_id FROM `t$snapshots` ORDER BY snapshot_id;
CALL sys.expire_snapshots(table => 't', retain_max => 0);
CALL sys.expire_snapshots(table => 't', retain_max => 'many');
SELECT * FROM t;
-- # create_tag
-- case: tags
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
@mark;
INSERT INTO t VALUES (2);
CALL sys.create_tag(table => 't', tag => 'one', snapshot => 1);
CALL sys.create_tag('t', 'two', 2, '1 d');
CALL sys.create_tag(table => 't', tag => 'newest');
CALL sys.create_tag(table => 't', tag => 'newest');
CALL sys.create_tag(table => 't', tag => 'bad', snapshot => 9);
CALL sys.create_tag(table => 't');
CALL sys.create_tag_from_timestamp(`table` => 't', `tag` => 'timed', `timestamp` => {mark}, time_retained => '1 d');
CALL sys.create_tag_from_timestamp(`table` => 't', `tag` => 'late', `timestamp` => 4102444800000);
CALL sys.rename_tag(table => 't', tag => 'one', target_tag => 'uno');
CALL sys.rename_tag(table => 't', tag => 'one', target_tag => 'uno');
CALL sys.replace_tag(table => 't', tag => 'uno', snapshot => 2, time_retained => '2 h');
CALL sys.replace_tag(table => 't', tag => 'nothing', snapshot => 2);
CALL sys.delete_tag(table => 't', tag => 'newest,late');
CALL sys.delete_tag(table => 't', tag => 'nothing');
SELECT tag_name, snapshot_id, time_retained FROM `t$tags` ORDER BY tag_name;
CALL sys.expire_tags(table => 't', older_than => '2020-01-01 00:00:00');
CALL sys.expire_tags(table => 't', older_than => '2099-01-01 00:00:00');
SELECT tag_name FROM `t$tags` ORDER BY tag_name;
CALL sys.trigger_tag_automatic_creation(table => 't');
-- # rollback
-- case: versions, timestamps and watermarks
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
@mark;
INSERT INTO t VALUES (3);
INSERT INTO t VALUES (4);
CALL sys.create_tag(table => 't', tag => 'second', snapshot => 2);
CALL sys.rollback(table => 't', version => '3');
SELECT * FROM t;
CALL sys.rollback(table => 't', snapshot => 9);
CALL sys.rollback(table => 't');
CALL sys.rollback(table => 't', snapshot => 1, tag => 'second');
CALL sys.rollback_to_timestamp(table => 't', timestamp => {mark});
SELECT * FROM t;
INSERT INTO t VALUES (5);
CALL sys.rollback(table => 't', tag => 'second');
SELECT * FROM t;
CALL sys.rollback('t', 'second');
CALL sys.rollback(table => 't', tag => 'nothing');
CALL sys.rollback_to_timestamp(table => 't', timestamp => 1000);
CALL sys.rollback_to_watermark(table => 't', watermark => 1730292023000);
CALL sys.rollback(table => 't', snapshot => 1);
SELECT * FROM t;
-- # create_branch
-- case: branches
CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ('primary-key' = 'a', 'bucket' = '1');
INSERT INTO t VALUES (1, 'x');
CALL sys.create_tag('t', 'first');
CALL sys.create_branch(table => 't', branch => 'empty');
CALL sys.create_branch(table => 't', branch => 'dev', tag => 'first');
CALL sys.create_branch(table => 't', branch => 'dev');
CALL sys.create_branch('t', 'main');
INSERT INTO `t$branch_dev` VALUES (2, 'dev');
SELECT * FROM `t$branch_dev`;
SELECT * FROM `t$branch_empty`;
SELECT * FROM t;
SELECT branch_name FROM `t$branches` ORDER BY branch_name;
CALL sys.rename_branch(table => 't', from_branch => 'empty', to_branch => 'renamed');
CALL sys.fast_forward(table => 't', branch => 'dev');
SELECT * FROM t;
CALL sys.delete_branch(table => 't', branch => 'dev,renamed');
CALL sys.delete_branch(table => 't', branch => 'nothing');
SELECT count(*) FROM `t$branches`;
CALL sys.fast_forward(table => 't', branch => 'nothing');
CREATE TABLE m (a INT) TBLPROPERTIES ('branch-merge.enabled' = 'true');
INSERT INTO m VALUES (1);
CALL sys.create_tag('m', 'first');
CALL sys.create_branch('m', 'side', 'first');
INSERT INTO `m$branch_side` VALUES (2);
INSERT INTO m VALUES (3);
CALL sys.merge_branch(table => 'm', source_branch => 'side');
SELECT * FROM m;
CALL sys.merge_branch(table => 't', source_branch => 'side');
-- # expire_partitions
-- case: by value
CREATE TABLE t (a INT, dt STRING) PARTITIONED BY (dt);
INSERT INTO t VALUES (1, '2020-01-01'), (2, '2020-01-02'), (3, '9999-01-01');
CALL sys.expire_partitions(table => 't', expiration_time => '1 d', timestamp_formatter => 'yyyy-MM-dd', timestamp_pattern => '$dt', expire_strategy => 'values-time', max_expires => 1);
CALL sys.expire_partitions(table => 't', expiration_time => '1 d', timestamp_formatter => 'yyyy-MM-dd');
CALL sys.expire_partitions(table => 't', expiration_time => '1 d', timestamp_formatter => 'yyyy-MM-dd');
CALL sys.expire_partitions(table => 't', expiration_time => '100 d', expire_strategy => 'update-time');
CALL sys.expire_partitions(table => 't', expiration_time => 'soon');
SELECT * FROM t;
CALL sys.mark_partition_done(table => 't', partitions => 'dt=9999-01-01');
CALL sys.mark_partition_done(table => 't', partitions => 'dt=1;dt=2');
CALL sys.mark_partition_done(table => 't');
-- # remove_orphan_files
-- case: cleaning
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
CALL sys.remove_orphan_files(table => 't');
CALL sys.remove_orphan_files(table => 'lab.*', older_than => '2023-10-31 12:00:00', dry_run => true, parallelism => 5, mode => 'local');
CALL sys.remove_orphan_files(table => 't', mode => 'strange');
CALL sys.remove_unexisting_files(table => 't');
CALL sys.remove_unexisting_files(table => 't', dry_run => true);
CALL sys.repair('lab.t');
CALL sys.repair();
CALL sys.purge_files(table => 't');
SELECT * FROM t;
-- # reset_consumer
-- case: consumers
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
CALL sys.reset_consumer(table => 't', consumerId => 'mine', nextSnapshotId => 1);
CALL sys.reset_consumer(table => 't', consumerId => 'yours', nextSnapshotId => 1);
SELECT * FROM `t$consumers`;
CALL sys.reset_consumer(table => 't', consumerId => 'mine', nextSnapshotId => 9);
CALL sys.reset_consumer('t', 'mine');
SELECT * FROM `t$consumers`;
CALL sys.clear_consumers(table => 't', includingConsumers => 'mine.*', excludingConsumers => 'm.*');
CALL sys.clear_consumers(table => 't');
SELECT * FROM `t$consumers`;
-- # rescale
-- case: buckets
CREATE TABLE t (a INT, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('primary-key' = 'a,day', 'bucket' = '2');
INSERT INTO t SELECT CAST(id AS INT), 'mon' FROM range(20);
INSERT INTO t VALUES (1, 'tue');
CALL sys.rescale(table => 't', bucket_num => 4, partitions => 'day=mon');
SELECT partition, bucket FROM `t$buckets`;
CALL sys.rescale(table => 't', bucket_num => 1, where => "day = 'mon'");
SELECT partition, bucket FROM `t$buckets`;
CALL sys.rescale(table => 't', bucket_num => 3, partitions => 'day=mon', where => "day = 'mon'");
SELECT count(*) FROM t;
CALL sys.rescale(table => 't');
-- # rewrite_file_index
-- case: indexes, copies and migration
CREATE TABLE t (a INT, b STRING, day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'x', 'mon'), (2, 'y', 'tue');
ALTER TABLE t SET TBLPROPERTIES ('file-index.bloom-filter.columns' = 'b');
CALL sys.rewrite_file_index(table => "t", where => "day = 'mon'");
CALL sys.rewrite_file_index(table => "t");
SELECT * FROM t WHERE b = 'y';
CALL sys.copy(source_table => "t", target_table => "t_copy");
SELECT * FROM t_copy;
CALL sys.copy(source_table => "t", target_table => "t_part", where => "day = 'tue'");
SELECT * FROM t_part;
CALL sys.copy(source_table => "nothing", target_table => "x");
CALL sys.migrate_table(source_type => 'hive', table => 'lab.t');
CALL sys.migrate_database(source_type => 'hive', database => 'lab');
CALL sys.create_function(`function` => 'lab.f', `inputParams` => '[]', `returnParams` => '[]');
CALL sys.drop_function(`function` => 'lab.f');
CALL sys.alter_view_dialect('lab.v', 'add', 'spark', 'SELECT 1');
CALL sys.repair_earliest_snapshot(table => 't');
CREATE TABLE d (a INT, b STRING) TBLPROPERTIES ('deletion-vectors.enabled' = 'true');
INSERT INTO d SELECT /*+ REPARTITION(1) */ CAST(id AS INT), 'v' FROM range(5);
DELETE FROM d WHERE a = 2;
CALL sys.materialize_deletion_vectors(table => 'd');
SELECT * FROM d;
SELECT commit_kind, operation FROM `d$snapshots` ORDER BY snapshot_id;
CREATE TABLE rt (a INT, b STRING) TBLPROPERTIES ('row-tracking.enabled' = 'true');
INSERT INTO rt VALUES (1, 'x'), (2, 'y');
CALL sys.create_global_index(table => 'rt', index_column => 'a', index_type => 'btree');
CALL sys.drop_global_index(table => 'rt', index_column => 'a', index_type => 'btree', dry_run => true);
CALL sys.drop_global_index(table => 'rt', index_column => 'a', index_type => 'btree');
CALL sys.reassign_row_id(table => 'rt');
CALL sys.compact_chain_table(table => 't', partition => 'day="mon"');
-- # Procedures
-- case: show and describe
SHOW PROCEDURES;
SHOW PROCEDURES IN sys;
DESCRIBE PROCEDURE sys.compact;
CALL nothing.compact('t');
CALL sys.compact(table => 't', table => 't');
CALL sys.compact(1 + 1);
