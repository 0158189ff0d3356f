-- Steps of the page DataFrame.
-- # Create Table
-- case: save and insert
@save_new_table;
SELECT * FROM saved;
SELECT key, value FROM `saved$options` WHERE key NOT IN ('path', 'owner');
@save_appends;
@save_refuses_surplus_columns;
@save_existing_fails;
@save_ignores_existing;
@insert_into_by_position;
SELECT * FROM saved;
@table_filtered;
@catalog_functions;
CALL sys.create_tag('saved', 'first', 1);
@read_by_name;
@read_by_name_with_snapshot;
@read_by_name_with_tag;
@read_with_version;
@read_between;
@merge_into_frame;
SELECT * FROM saved;
@save_overwrites;
SELECT * FROM saved;
-- # Insert Overwrite
-- case: writers
@save_new_table;
@write_to_append;
SELECT * FROM saved;
@write_to_overwrite_partitions;
SELECT * FROM saved;
@write_to_overwrite_condition;
SELECT * FROM saved;
@insert_into_overwrites;
SELECT * FROM saved;
SET spark.sql.sources.partitionOverwriteMode=dynamic;
@insert_into_overwrites;
SELECT * FROM saved;
-- case: writeTo creates and replaces
@write_to_create;
SELECT * FROM created;
SHOW PARTITIONS created;
@write_to_create_again;
@write_to_replace;
SELECT * FROM created;
@write_to_replace_missing;
-- # Write Merge Schema
-- case: options of the writer
CREATE TABLE saved (id INT, name STRING, day STRING);
@save_with_merge_schema;
SELECT * FROM saved;
@save_with_type_widening;
SELECT * FROM saved;
SELECT * FROM saved;
-- case: other ways to write
CREATE TABLE saved (id INT, name STRING, day STRING);
@save_with_merge_schema;
@insert_with_merge_schema;
SELECT * FROM saved;
@write_to_with_merge_schema;
@save_path_with_merge_schema;
SELECT * FROM saved;
@save_with_explicit_cast;
DESCRIBE saved;
-- # Query
-- case: paths and options
CREATE TABLE saved (id INT, name STRING, day STRING) PARTITIONED BY (day);
INSERT INTO saved VALUES (1, 'pen', 'mon'), (2, 'ink', 'tue');
@save_append_path;
@load_path;
@load_path_of_snapshot;
@load_path_between;
@load_system_table;
@load_changelog;
@load_by_options;
@load_schema;
@read_with_latest_full;
@read_with_split_size;
@read_without_full_scan;
@read_partition_without_full_scan;
@read_unknown_option;
@save_with_v2_write;
@temporary_view;
SELECT * FROM some_saved;
SHOW VIEWS;
DROP VIEW some_saved;
@save_overwrite_path;
SELECT * FROM saved;
@save_new_path;
SELECT * FROM by_path;
-- # Insert
-- case: overwriting keeps the definition
@save_new_table;
@save_overwrites;
SELECT * FROM saved;
SELECT key, value FROM `saved$options` WHERE key NOT IN ('path', 'owner');
SHOW PARTITIONS saved;
SELECT count(*) FROM saved VERSION AS OF 1;
@save_overwrites_with_more_columns;
@save_overwrites_with_fewer_columns;
SELECT * FROM saved;
@save_overwrites_with_options;
SELECT * FROM saved;
SHOW TBLPROPERTIES saved;
@overwrite_with_merge_schema;
SELECT * FROM saved;
SET spark.sql.sources.partitionOverwriteMode=dynamic;
INSERT INTO saved (id, name, day) VALUES (8, 'x', 'mon'), (9, 'y', 'tue');
@save_overwrites;
SELECT * FROM saved;
@write_to_create_or_replace;
SELECT * FROM saved;
SHOW TBLPROPERTIES saved;
