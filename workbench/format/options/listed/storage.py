"""Options of the files, keys and levels of a table."""

from __future__ import annotations

LIST = """
# The table and its files
!type | enum(table,format-table,materialized-table,object-table,lance-table,iceberg-table) | table | kind of table
path | string | - | directory of the table; set by the catalog
owner | string | - | owner of the table
branch | string | main | branch to read and write
auto-create | bool | false | create the table's storage on first use
!primary-key | string | - | columns of the primary key, if not declared otherwise
!primary-key.nullable | bool | false | allow NULL in key columns
!partition | string | - | partition columns, if not declared otherwise
bucket | int | -1 | number of buckets; -1 for dynamic buckets, -2 for postponed buckets
!bucket-key | string | - | columns whose hash determines the bucket; by default the primary key
upsert-key | string | - | columns of an append table by which written rows replace others
bucket-append-ordered | bool | true | keep the write order within a bucket of an append table
!bucket-function.type | enum(default,mod,hive) | default | how the bucket is computed from the bucket key
file.format | file-format | parquet | format of data files
file.format.per.level | map | '' | format by level, such as 0:avro
file.compression | string | zstd | codec of data files
file.compression.per.level | map | '' | codec by level, such as 0:lz4
file.compression.zstd-level | int | 1 | zstd compression level; higher is smaller and slower
file.block-size | memory | - | size of a row group or stripe
file.suffix.include.compression | bool | false | include the codec in file names
data-file.prefix | string | data- | prefix of data file names
!data-file.path-directory | string | - | directory between the table and its partitions
data-file.thin-mode | bool | false | do not store key columns a second time
data-file.external-paths | string | - | external roots for new data files, separated by commas
data-file.external-paths.strategy | enum(none,specific-fs,round-robin,entropy-inject,weight-robin) | none
    | how an external root is chosen
data-file.external-paths.specific-fs | string | - | scheme of the only external root to use
data-file.external-paths.weights | string | - | weights of the external roots
changelog-file.prefix | string | changelog- | prefix of changelog file names
changelog-file.format | string | - | format of changelog files; that of data files by default
changelog-file.compression | string | - | codec of changelog files; that of data files by default
changelog-file.stats-mode | stats-mode | - | statistics of changelog files
target-file-size | memory | - | target size of a data file; 128 MB with a primary key, otherwise 256 MB
target-file-row-num | long | 9223372036854775807 | maximum number of rows in a data file
!index-file-in-data-file-dir | bool | false | write index files to bucket directories
add-column-before-partition | bool | false | insert new columns before the partition columns
alter-column-null-to-not-null.disabled | bool | true | refuse to make a nullable column NOT NULL
disable-explicit-type-casting | bool | false | refuse type changes that may lose values
# Statistics and file indexes
metadata.stats-mode | stats-mode | truncate(16) | statistics of each column
metadata.stats-mode.per.level | map | '' | statistics by level, such as 0:none
metadata.stats-dense-store | bool | true | store nothing for columns without statistics
metadata.stats-keep-first-n-columns | int | -1 | columns with statistics, from the first; -1 for all
file-index.in-manifest-threshold | memory | 500 b | maximum size of a file index stored in the manifest
file-index.read.enabled | bool | true | use file indexes to skip files
# Primary-key tables
!merge-engine | merge-engine | deduplicate | how rows of one key become one
ignore-delete | bool | false
    | ignore deletes < first-row.ignore-delete, deduplicate.ignore-delete, partial-update.ignore-delete
ignore-update-before | bool | false | ignore the old rows of updates
sequence.field | string | - | columns that determine which of two rows is newer
sequence.field.sort-order | enum(ascending,descending) | ascending
    | whether greater or smaller sequence values are newer
!sequence.snapshot-ordering | bool | false | order rows by the snapshot that added them
!aggregation.remove-record-on-delete | bool | false | a delete removes the whole aggregated row
!partial-update.remove-record-on-delete | bool | false | a delete removes the whole merged row
!partial-update.remove-record-on-sequence-group | string | - | sequence groups whose delete removes the whole row
fields.default-aggregate-function | string | - | aggregate function of columns without one
!rowkind.field | string | - | column with the row kind: insert, update or delete
changelog-producer | enum(none,input,full-compaction,lookup) | none | how the changelog is produced
changelog-producer.row-deduplicate | bool | false | omit updates that change nothing
changelog-producer.row-deduplicate-ignore-fields | string | - | columns that are ignored when rows are compared
record-level.expire-time | duration | - | age at which compaction drops a row
record-level.time-field | string | - | column with the time of a row
record-level.time-field-type | string | - | unit of that column, in tables of old versions
!pk-clustering-override | bool | false | sort files by the clustering columns, not by the key
delete.force-produce-changelog | bool | false | write a changelog for deletes even if the merge engine would not
deletion-vectors.enabled | bool | false | mark deleted rows by deletion vectors instead of merging on read
deletion-vectors.modifiable | bool | false | allow enabling or disabling deletion vectors of an existing table
deletion-vectors.merge-on-read | bool | false | merge the newest level on read despite deletion vectors
deletion-vectors.bitmap64 | bool | false | use 64-bit deletion vectors, for more than 2 billion rows
deletion-vector.index-file.target-size | memory | 2 mb | target size of a file of deletion vectors
dynamic-bucket.target-row-num | long | 2000000 | target number of rows in a bucket
!dynamic-bucket.initial-buckets | int | - | initial number of buckets of a partition
dynamic-bucket.max-buckets | int | -1 | maximum number of buckets of a partition; -1 for no limit
dynamic-bucket.assigner-parallelism | int | - | tasks that assign buckets
cross-partition-upsert.index-ttl | duration | - | age at which the partition index drops a key
cross-partition-upsert.bootstrap-parallelism | int | 10 | threads that load the partition index
postpone.default-bucket-num | int | - | buckets of a partition that is bucketed for the first time
postpone.batch-write-fixed-bucket | bool | true | batch writes use fixed buckets directly
postpone.batch-write-fixed-bucket.max-parallelism | int | 2048 | maximum number of tasks of such a write
postpone.batch-write-fixed-bucket.rescale-load-factor | int | 32 | how far a bucket may overfill before it is split
postpone.merge-on-read | bool | false | read rows that have no bucket yet
postpone.target-row-num-per-bucket | long | - | target number of rows in a bucket
postpone.target-size-per-bucket | memory | 1 gb | target size of a bucket
chain-table.enabled | bool | false | read full and incremental branches as one table
chain-table.chain-partition-keys | string | - | partition columns along which branches are chained
chain-table.streaming.merge-snapshot | bool | false | merge the full branch into streaming reads
chain-table.split.key-range-enabled | bool | true | divide splits of chained reads by key range
# Levels and compaction
write-only | bool | false | do not compact or expire while writing < write.compaction-skip
num-sorted-run.compaction-trigger | positive | 5 | number of sorted runs that triggers a compaction
num-sorted-run.stop-trigger | int | - | number of sorted runs at which writers wait; trigger + 3 by default
num-levels | positive | - | number of levels of the tree; trigger + 1 by default
compaction.max-size-amplification-percent | int | 200
    | size of newer runs, in percent of the oldest, that triggers a full compaction
compaction.size-ratio | int | 1 | percent by which the next run may be larger and still be included
compaction.offpeak.start.hour | hour | -1 | first hour of the off-peak time; -1 for none
compaction.offpeak.end.hour | hour | -1 | hour at which the off-peak time ends; -1 for none
compaction.offpeak-ratio | int | 0 | percent added to the size ratio in the off-peak time
compaction.optimization-interval | duration | - | interval between full compactions
compaction.total-size-threshold | memory | - | size below which a bucket is always fully compacted
compaction.incremental-size-threshold | memory | - | size outside the last level that triggers a full compaction
compaction.small-file-ratio | double | 0.7 | fraction of the target size below which a file is small
compaction.min.file-num | int | 5 | number of small files that triggers a compaction of an append table
compaction.max.file-num | int | - | maximum number of files of one append compaction, in tables of old versions
compaction.file-num-limit | int | 100000 | maximum number of files of one append compaction
compaction.delete-ratio-threshold | double | 0.2 | fraction of deleted rows at which a file is rewritten
compaction.force-up-level-0 | bool | false | every compaction includes all of level 0
compaction.force-rewrite-all-files | bool | false | a full compaction rewrites every file
compaction.skip-expired-partitions | bool | false | skip expired partitions
full-compaction.delta-commits | int | - | number of commits after which a full compaction runs
lookup-compact | enum(RADICAL,GENTLE) | RADICAL | how soon level 0 is compacted if lookups need it
lookup-compact.max-interval | int | - | number of triggers after which a gentle compaction includes level 0
!force-lookup | bool | false | compact as if lookups needed it
lookup-wait | bool | true | commits wait for lookup compaction < changelog-producer.lookup-wait
sort-engine | enum(min-heap,loser-tree) | loser-tree | how sorted runs are merged
sort-spill-threshold | int | - | number of readers at which a merge spills to disk
sort-spill-buffer-size | memory | 64 mb | memory of a merge that spills to disk
spill-compression | string | zstd | codec of spilled rows
spill-compression.zstd-level | int | 1 | zstd compression level of spilled rows
local-sort.max-num-file-handles | int | 128 | number of files that one external sort opens at a time
page-size | memory | 64 kb | size of a page of buffered rows
cache-page-size | memory | 64 kb | size of a page of cached rows
clustering.columns | string | - | columns by which rows are clustered < sink.clustering.by-columns
clustering.strategy | enum(auto,order,zorder,hilbert) | auto
    | order of clustered rows < sink.clustering.strategy
clustering.incremental | bool | false | cluster incrementally during compaction
clustering.incremental.mode | enum(global-sort,local-sort) | global-sort | cluster over all rows or within each task
clustering.incremental.optimize-write | bool | false | also cluster rows during writes
clustering.history-partition.limit | int | 5 | number of idle partitions clustered at a time
clustering.history-partition.idle-to-full-sort | duration | - | idle time after which a partition is fully sorted
sort-compaction.range-strategy | enum(SIZE,QUANTITY) | SIZE | balance sorted ranges by bytes or by rows
sort-compaction.local-sample.magnification | int | 1000 | number of samples per task for the ranges
zorder.var-length-contribution | int | 8 | number of bytes of text and binary used in a z-order
"""
