"""The table of all options, which `options.catalog` parses.

One option per line: name, type (`options.values`), default, meaning, and after ``<`` its older names. ``!`` marks
options that cannot change once there is a snapshot (format §3.3), ``@`` those that cannot change once there are rows,
since they determine where rows are stored and how they are read. ``-`` means no default, ``''`` is empty text. An
indented line continues the previous one.
"""

from __future__ import annotations

TABLE = """
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
# Writing
write-buffer-size | memory | 256 mb | size of the memory buffer at which a writer flushes
write-buffer-spillable | bool | true | spill full buffers to disk before they are flushed
write-buffer-spill.max-disk-size | memory | 9223372036854775807 b | maximum disk space of spilled buffers
write-buffer-for-append | bool | false | also buffer rows of append tables
write-max-writers-to-spill | int | 10 | number of open writers above which append rows are buffered
write.batch-size | positive | 1024 | rows of one batch < orc.write.batch-size
write.batch-memory | memory | 128 mb | memory of one batch
write.sequence-number-init-mode | enum(scan,snapshot) | scan | how writers determine the last sequence number
local-merge-buffer-size | memory | - | memory for merging rows before they are shuffled
async-file-write | bool | true | write files in the background
dynamic-partition-overwrite | bool | true | overwrite only the partitions that occur in the data
overwrite-upgrade | bool | true | write overwritten files to the last level if possible
partition.sink-strategy | enum(NONE,HASH,PARTITION_DYNAMIC) | NONE | how rows are distributed over writers by partition
# Commits and manifests
commit.user-prefix | string | - | prefix of generated commit users
commit.timeout | duration | - | how long a commit is retried
commit.max-retries | int | 10 | maximum number of retries of a commit
commit.min-retry-wait | duration | 10 ms | first wait between retries
commit.max-retry-wait | duration | 10 s | maximum wait between retries
commit.force-compact | bool | false | commits wait for compaction
commit.force-create-snapshot | bool | false | commit even when nothing changed
commit.discard-duplicate-files | bool | false | omit files that an earlier attempt already committed
commit.strict-mode.last-safe-snapshot | long | -
    | snapshot after which other users' compactions and overwrites abort a commit
commit.callbacks | string | '' | classes called after a commit
snapshot.ignore-empty-commit | bool | - | create no snapshot when nothing changed
@manifest.format | enum(avro,orc,parquet) | avro | format of manifests, in tables of old versions
manifest.compression | string | zstd | codec of manifests
manifest.target-file-size | memory | 8 mb | target size of a manifest
manifest.merge-min-count | int | 30 | number of small manifests that triggers a merge
manifest.full-compaction-threshold-size | memory | 16 mb | size of changes that triggers a rewrite of all manifests
manifest.merge-optimize.enabled | bool | true | merge manifests without decoding all of them
manifest.delete-file-drop-stats | bool | false | omit statistics from delete entries
manifest-sort.enabled | bool | false | sort manifest entries by partition
manifest-sort.partition-field | string | - | partition column to sort by
manifest-sort.max-rewrite-size | memory | 256 mb | maximum size of manifests that one sort rewrites
file-operation.thread-num | int | - | threads that delete files < delete-file.thread-num
visibility-callback.enabled | bool | false | wait after a commit until its rows are visible
visibility-callback.timeout | duration | 30 min | maximum wait for visibility
visibility-callback.check-interval | duration | 10 s | interval between visibility checks
# Snapshots, changelogs, consumers
snapshot.num-retained.min | positive | 10 | minimum number of snapshots to retain
snapshot.num-retained.max | positive | 2147483647 | maximum number of snapshots to retain
snapshot.time-retained | duration | 1 h | maximum age of snapshots to retain
snapshot.expire.limit | int | 50 | maximum number of snapshots removed at a time
snapshot.expire.execution-mode | enum(sync,async) | sync | whether commits wait for expiry
snapshot.clean-empty-directories | bool | false
    | remove emptied directories < snapshot.expire.clean-empty-directories
snapshot.watermark-idle-timeout | duration | - | idle time after which the watermark advances automatically
changelog.num-retained.min | positive | - | minimum number of changelogs to retain; as snapshots by default
changelog.num-retained.max | positive | - | maximum number of changelogs to retain; as snapshots by default
changelog.time-retained | duration | - | maximum age of changelogs to retain; as snapshots by default
consumer-id | string | - | name under which a stream records its progress
consumer.expiration-time | duration | - | idle time after which a consumer is removed
consumer.mode | enum(exactly-once,at-least-once) | exactly-once | how exactly the progress is recorded
consumer.ignore-progress | bool | false | ignore the recorded progress
consumer.changelog-only | bool | false | consumers protect changelogs only, not snapshots
# Tags
tag.automatic-creation | enum(none,process-time,watermark,batch) | none | event that creates tags automatically
tag.automatic-completion | bool | false | create missed tags later
tag.create-success-file | bool | false | write a success file for each tag
tag.creation-period | enum(daily,hourly,two-hours) | daily | how often a tag is created
tag.creation-period-duration | duration | - | custom period
tag.creation-delay | duration | 0 ms | wait for late rows after the period
tag.period-formatter | enum(with_dashes,without_dashes,without_dashes_and_spaces) | with_dashes
    | format of tag names
tag.num-retained-max | int | - | maximum number of automatic tags to retain
tag.default-time-retained | duration | - | how long tags are retained
tag.time-expire-enabled | bool | true | remove expired tags
tag.batch.customized-name | string | - | name of the tag that a batch job creates
tag.callbacks | string | '' | classes called after a tag is created
metastore.partitioned-table | bool | false | register partitions in the metastore
metastore.tag-to-partition | string | - | partition column that represents tags in the metastore
metastore.tag-to-partition.preview | enum(none,process-time,watermark,batch) | none
    | tags shown in the metastore before they exist
# Partitions
@partition.default-name | string | __DEFAULT_PARTITION__ | directory name of a null or blank value
@partition.legacy-name | bool | true | write values to directory names as Java prints them, not as SQL does
partition.expiration-time | duration | - | age at which a partition is dropped
partition.expiration-check-interval | duration | 1 h | interval between expiration checks
partition.expiration-strategy | string | values-time
    | how a partition's age is measured
partition.expiration-max-num | int | 100 | maximum number of partitions dropped at a time
partition.expiration-batch-size | int | - | maximum number of partitions dropped in one commit
partition.timestamp-formatter | string | - | format of a partition's time
partition.timestamp-pattern | string | - | how partition columns form a time
partition.timestamp-format.strict | bool | false | fail on partitions whose time cannot be parsed
partition.end-input-to-done | bool | false | mark partitions done when the input ends
partition.mark-done-action | string | success-file | action that marks a partition done
partition.mark-done-action.mode | enum(process-time,watermark) | process-time
    | time that determines when a partition is done
partition.mark-done-action.custom.class | string | - | class that marks partitions done
partition.mark-done-action.http.url | string | - | URL that is notified of done partitions
partition.mark-done-action.http.params | string | - | parameters sent to that URL
partition.mark-done.recover-from-state | bool | true | recover partitions to mark from the job's state
partition.idle-time-to-done | duration | - | idle time after which a partition is done
partition.time-interval | duration | - | time interval of one partition
partition.idle-time-to-report-statistic | duration | 0 ms | idle time after which statistics are reported
end-input.check-partition-expire | bool | false | drop old partitions when the input ends
end-input.watermark | long | - | watermark of a job that ends
# Reading
scan.mode | enum(default,latest-full,full,latest,latest-delta,compacted-full,from-timestamp,
    from-creation-timestamp,from-file-creation-time,from-snapshot,from-snapshot-full,incremental) | default
    | start of the read < log.scan
scan.snapshot-id | long | - | snapshot to read
scan.tag-name | string | - | tag to read
scan.version | string | - | tag or snapshot to read
scan.timestamp | string | - | time of the version to read, as text
scan.timestamp-millis | long | - | time of the version to read, in ms < log.scan.timestamp-millis
scan.watermark | long | - | watermark from which to read
scan.file-creation-time-millis | long | - | exclude files created before this time
scan.creation-time-millis | long | - | start at the first snapshot created after this time
scan.bounded.watermark | long | - | watermark at which a stream ends
scan.bounded | bool | - | read a stream up to its current end
scan.bucket | int | - | read this bucket only
scan.partitions | string | - | read these partitions only
scan.fallback-branch | string | - | branch that supplies missing partitions
scan.fallback-branch.read-fail-fast | bool | false | fail when a branch cannot be read
scan.primary-branch | string | - | branch that takes precedence over this one
scan.fallback-snapshot-branch | string | - | branch with the full data of a chained table
scan.fallback-delta-branch | string | - | branch with the changes of a chained table
scan.ignore-corrupt-files | bool | false | skip files that cannot be read
scan.ignore-lost-files | bool | false | skip files that are missing
scan.manifest.parallelism | int | - | threads that read manifests
scan.max-splits-per-task | int | 10 | maximum number of splits of one stream task
scan.plan-sort-partition | bool | false | plan splits in partition order
scan.plan-auto-tag-for-read.time-retained | duration | - | retention of a tag that protects a running read
source.split.target-size | memory | 128 mb | target size of a split
source.split.open-file-cost | memory | 4 mb | cost of opening a file in bytes
source.split.target-size-with-column-pruning | bool | false | consider only the columns read in the size of a split
read.batch-size | positive | 1024 | rows of one batch
file-reader-async-threshold | memory | 10 mb | size from which files are read in the background
incremental-between | string | - | two snapshots or tags to read the changes between
incremental-between-scan-mode | enum(auto,delta,changelog,diff) | auto | how changes are determined
incremental-between-timestamp | string | - | two times to read the changes between
incremental-between-tag-to-snapshot | bool | false | treat tags as the snapshots they refer to
incremental-to-auto-tag | string | - | tag up to which changes since the previous tag are read
stream-scan-mode | enum(none,compact-bucket-table,file-monitor) | none | internal kinds of streaming reads
batch-scan-mode | enum(none,compact) | none | internal kinds of batch reads
streaming-read-overwrite | bool | false | include overwrites of primary-key tables in streams
streaming-read-append-overwrite | bool | false | include overwrites of append tables in streams
streaming.read.snapshot.delay | duration | - | delay of streams
continuous.discovery-interval | duration | 10 s | interval at which streams discover new snapshots
table-read.sequence-number.enabled | bool | false | include sequence numbers in system tables
key-value.sequence_number.enabled | bool | false | include the sequence number in rows
query-auth.enabled | bool | false | let the catalog decide which rows and columns may be read
read.stream.maxFilesPerTrigger | int | - | maximum number of files of a micro-batch
read.stream.maxBytesPerTrigger | long | - | maximum number of bytes of a micro-batch
read.stream.maxRowsPerTrigger | long | - | maximum number of rows of a micro-batch
read.stream.minRowsPerTrigger | long | - | minimum number of rows of a micro-batch
read.stream.maxTriggerDelayMs | long | - | maximum wait for those rows
read.changelog | bool | false | include the kind of each row
read.allow.fullScan | bool | true | allow reading all partitions
write.merge-schema | bool | false | add columns of the data to the table
write.merge-schema.type-widening | bool | false | widen types to those of the data
write.merge-schema.explicit-cast | bool | false | change types even if values may be lost
write.use-v2-write | bool | false | write with Spark's V2 interface
write.hive-style-dynamic-partition.enabled | bool | false | treat INSERT OVERWRITE as Hive does
write.data-evolution.update-conflict-retry.max-attempts | int | 20 | maximum number of retries of a column update
write.data-evolution.update-conflict-retry.wait-ms | long | 10 | wait between those retries
# Lookups
lookup.async | bool | false | look up rows in the background
lookup.async-thread-number | int | 16 | threads that look up rows
lookup.bootstrap-parallelism | int | 4 | threads that load the lookup table
lookup.cache | string | AUTO | how the lookup table is cached
lookup.cache-rows | long | 10000 | maximum number of cached rows
lookup.cache-file-retention | duration | 1 h | how long lookup files are cached
lookup.cache-max-disk-size | memory | 9223372036854775807 b | maximum disk space of lookup files
lookup.cache-max-memory-size | memory | 256 mb | maximum memory of lookups
lookup.cache-spill-compression | string | zstd | codec of lookup files
lookup.cache.bloom.filter.enabled | bool | true | keep a bloom filter for each lookup file
lookup.cache.bloom.filter.fpp | double | 0.05 | false positive rate of that filter
lookup.cache.high-priority-pool-ratio | double | 0.25 | fraction of the cache for indexes and filters
lookup.hash-load-factor | double | 0.75 | load factor of hash files
lookup.continuous.discovery-interval | duration | - | interval at which lookups discover new snapshots
lookup.blob-as-descriptor | bool | false | return references to large objects from lookups
lookup.remote-file.enabled | bool | false | store lookup files in the table's storage
lookup.remote-file.level-threshold | int | -2147483648 | lowest level whose lookup files are stored there
lookup.merge-buffer-size | memory | 8 mb | memory for merging rows of one key
lookup.merge-records-threshold | int | 1024 | maximum number of rows of one key merged in memory
lookup.dynamic-partition.refresh-interval | duration | 1 h | interval at which the newest partition is refreshed
lookup.dynamic-partition.refresh.async | bool | false | refresh the newest partition in the background
lookup.refresh.async | bool | false | refresh the lookup table in the background
lookup.refresh.async.pending-snapshot-count | int | 5
    | number of snapshots that the refresh may lag behind before lookups wait
lookup.refresh.full-load-threshold | int | - | number of snapshots from which the lookup table is reloaded
lookup.refresh.time-periods-blacklist | string | - | periods without refresh
local-kv-db.block-size | memory | 4 kb | block size of the local key-value store
# Row ids, columns written apart, large objects
!row-tracking.enabled | bool | false | assign a permanent id to every row
row-tracking.partition-group-on-commit | bool | true | number the rows of a commit partition by partition
!data-evolution.enabled | bool | false | write new values of some columns to separate files
data-evolution.compaction.rewrite-row-ids | bool | false | let compaction assign new row ids
data-evolution.merge-into.file-pruning | bool | true | let MERGE read only files that it may change
data-evolution.merge-into.source-persist | bool | false | let MERGE keep its source in memory
data-evolution.reassign.skip-contiguous-row-count | long | 1000000000 | size from which ranges keep their row ids
data-evolution.row-id-conflict-rewrite.max-size | memory | 256 mb
    | size up to which a conflict is solved by rewriting
data-evolution.row-sidecar.enabled | bool | false | write small row files in addition to column files
data-evolution.row-sidecar.max-selected-rows | long | 4096 | maximum number of rows for which these are used
data-evolution.row-sidecar.max-selection-ratio | double | 0.05 | maximum fraction of rows for which these are used
!blob-field | string | - | columns of large objects
!blob-descriptor-field | string | - | columns with references to large objects < blob.stored-descriptor-fields
!blob-view-field | string | - | columns that refer to large objects of another table
blob-view.resolve.enabled | bool | true | resolve such columns when reading
blob-as-descriptor | bool | false | read and write references instead of objects
blob-descriptor.source-table | string | - | table that the references point to
blob-write-null-on-missing-file | bool | false | store NULL if the object is missing
blob-write-null-on-fetch-failure | bool | false | store NULL if the object cannot be fetched
blob-compaction.enabled | bool | false | also compact files of large objects
blob.target-file-size | memory | - | target size of a file of large objects
blob.split-by-file-size | bool | - | include large objects in the size of a split
blob.copy-buffer-size | memory | 4 kb | buffer for copying large objects
vector-field | string | - | columns of vectors
vector.file.format | string | - | format of files of vectors
vector.target-file-size | memory | - | target size of a file of vectors
vector-search.distribute.enabled | bool | false | search vectors on all tasks
vector-search.lateral-join.batch-size | int | 256 | number of searches in one batch
vector-search.lateral-join.parallelism | int | 16 | number of concurrent searches
variant.shreddingSchema | string | - | fields of variants stored as columns < parquet.variant.shreddingSchema
variant.inferShreddingSchema | bool | false | infer such fields from rows
variant.shredding.inferenceMode | enum(per-file,adaptive) | per-file | infer per file, or from earlier files
variant.shredding.maxSchemaWidth | int | 300 | maximum number of inferred fields
variant.shredding.maxSchemaDepth | int | 50 | maximum depth of inferred fields
variant.shredding.minFieldCardinalityRatio | double | 0.1 | minimum fraction of rows that have a field
variant.shredding.maxInferBufferRow | int | 4096 | maximum number of rows to infer from
variant.shredding.adaptive.maxInferBufferRow | int | 256 | maximum number of rows to infer from after the first file
variant.shredding.adaptive.retentionRatio | double | 0.05 | fraction of rows below which a field is dropped
# Global and key indexes
global-index.enabled | bool | true | use global indexes when reading
global-index.external-path | string | - | root of global index files
global-index.row-count-per-shard | long | 100000 | rows of one index file
global-index.build.max-shard | int | 32 | number of index files built at a time
global-index.build.max-parallelism | int | 4096 | tasks that build indexes
global-index.thread-num | int | 32 | threads that read indexes
global-index.search-mode | enum(fast,full,detail) | - | search only indexed rows, or all rows
global-index.column-update-action | enum(THROW_ERROR,DROP_PARTITION_INDEX,IGNORE) | THROW_ERROR
    | action when an indexed column changes
scalar-index.search-mode | enum(fast,full,detail) | fast | search mode of scalar indexes
vector-index.search-mode | enum(fast,full,detail) | fast | search mode of vector indexes
full-text-index.search-mode | enum(fast,full,detail) | fast | search mode of text indexes
pk-vector.index.columns | string | - | vector columns indexed in each bucket
pk-btree.index.columns | string | - | columns with a b-tree in each bucket
pk-bitmap.index.columns | string | - | columns with bitmaps in each bucket
pk-multivalue.index.columns | string | - | list columns indexed in each bucket
pk-full-text.index.columns | string | - | text columns indexed in each bucket
# Format tables and materialized tables
format-table.implementation | enum(paimon,engine) | paimon | engine that reads and writes a format table
format-table.file.compression | string | - | codec of a format table
format-table.partition-path-only-value | bool | false | use directory names without column names
format-table.commit-hive-sync-url | string | - | metastore that is notified of new partitions
format-table.scan.list-parallelism | int | 64 | threads that list directories
format-table.repair.collect-statistics | bool | false | repair collects statistics
format-table.statistics.parallelism | int | 8 | tasks that collect statistics
materialized-table.definition-query | string | - | query of a materialized table
materialized-table.interval-freshness | string | - | maximum age of its rows
materialized-table.interval-freshness.time-unit | enum(SECOND,MINUTE,HOUR,DAY) | - | unit of that age
materialized-table.logical-refresh-mode | enum(CONTINUOUS,FULL,AUTOMATIC) | - | requested refresh mode
materialized-table.refresh-mode | enum(CONTINUOUS,FULL) | - | refresh mode in use
materialized-table.refresh-status | enum(INITIALIZING,ACTIVATED,SUSPENDED) | - | state of refreshing
materialized-table.refresh-handler-description | string | - | job that refreshes it
materialized-table.refresh-handler-bytes | string | - | that job in encoded form
# Iceberg metadata
metadata.iceberg.storage | enum(disabled,table-location,hadoop-catalog,hive-catalog,rest-catalog) | disabled
    | where Iceberg metadata is stored
metadata.iceberg.storage-location | enum(table-location,catalog-location) | - | directory of that metadata
metadata.iceberg.format-version | int | 2 | version of that metadata
metadata.iceberg.compaction.min.file-num | int | 10 | number of small Iceberg manifests that triggers a merge
metadata.iceberg.compaction.max.file-num | int | 50 | number of small Iceberg manifests that forces a merge
metadata.iceberg.delete-after-commit.enabled | bool | true | remove old Iceberg metadata
metadata.iceberg.previous-versions-max | int | 0 | number of old Iceberg metadata files to retain
metadata.iceberg.uri | string | - | address of the Iceberg catalog
metadata.iceberg.hive-conf-dir | string | - | directory of the Hive configuration
metadata.iceberg.hadoop-conf-dir | string | - | directory of the Hadoop configuration
metadata.iceberg.hive-client-class | string | org.apache.hadoop.hive.metastore.HiveMetaStoreClient
    | client class of the metastore
metadata.iceberg.hive-skip-update-stats | bool | false | do not update Hive statistics
metadata.iceberg.manifest-compression | string | snappy | codec of Iceberg manifests
metadata.iceberg.manifest-legacy-version | bool | false | write manifests as Iceberg 1.4 did
metadata.iceberg.database | string | - | database in the Iceberg catalog
metadata.iceberg.table | string | - | table in the Iceberg catalog
metadata.iceberg.glue.skip-archive | bool | false | do not archive old versions in AWS Glue
# Flink jobs
scan.parallelism | int | - | tasks of a source
scan.infer-parallelism | bool | true | infer the number of tasks from the splits
scan.infer-parallelism.max | int | 1024 | maximum inferred number of tasks
scan.max-snapshot.count | int | -1 | maximum number of snapshots of one scan
scan.split-enumerator.batch-size | int | 10 | number of splits assigned at a time
scan.split-enumerator.mode | enum(fair,preemptive) | fair | how splits are assigned
scan.dedicated-split-generation | bool | false | plan splits in a dedicated task
scan.remove-normalize | bool | false | remove the step that completes changelogs < log.scan.remove-normalize
scan.watermark.alignment.group | string | - | sources whose watermarks are aligned
scan.watermark.alignment.max-drift | duration | - | maximum difference of aligned watermarks
scan.watermark.alignment.update-interval | duration | 1 s | interval between alignments
scan.watermark.emit.strategy | enum(on-periodic,on-event) | on-event | when watermarks are emitted
scan.watermark.idle-timeout | duration | - | idle time after which a source does not delay others
read.shuffle-bucket-with-partition | bool | true | distribute buckets over tasks by partition
source.checkpoint-align.enabled | bool | false | align snapshots with checkpoints
source.checkpoint-align.timeout | duration | 30 s | maximum wait for the alignment
source.operator-uid.suffix | string | - | suffix of operator ids of sources
sink.operator-uid.suffix | string | - | suffix of operator ids of sinks
sink.parallelism | int | - | tasks of a sink
sink.watermark-time-zone | string | UTC | zone of watermarks in tag names
sink.process-time-zone | string | - | zone of processing times in tag names
sink.use-managed-memory-allocator | bool | false | allocate write buffers from Flink's memory
sink.managed.writer-buffer-memory | memory | 256 mb | Flink's memory for a writer
sink.cross-partition.managed-memory | memory | 256 mb | Flink's memory for the partition index
sink.savepoint.auto-tag | bool | false | create a tag for each savepoint
sink.writer-cpu | double | 1.0 | cores of a writer
sink.writer-memory | memory | - | memory of a writer
sink.committer-cpu | double | 1.0 | cores of the committer
sink.committer-memory | memory | - | memory of the committer
sink.committer-operator-chaining | bool | true | chain the committer with other operators
sink.coordinator-commit.enabled | bool | false | commit in the coordinator
sink.writer-coordinator.enabled | bool | false | let writers request files from one coordinator
sink.writer-coordinator.cache-memory | memory | 2 gb | memory of that coordinator
sink.writer-coordinator.cache-expire-after-access | duration | - | time after which the coordinator drops unused entries
sink.writer-coordinator.cache-soft-values | bool | true | let the coordinator's cache use soft references
sink.writer-coordinator.page-size | memory | 32 kb | page size of the coordinator's responses
sink.writer-coordinator.prefetch-manifests | bool | false | read manifests ahead
sink.writer-refresh-detectors | string | - | option groups whose changes writers detect
sink.key-only-deletes.enabled | bool | false | accept deletes that have only the key
sink.clustering.sample-factor | int | 100 | samples for clustering ranges
sink.clustering.sort-in-cluster | bool | true | sort rows inside a cluster
unaware-bucket.compaction.parallelism | int | - | tasks that compact append tables
unaware-bucket.no-shuffle | bool | false | append rows without a shuffle
compaction.bucket-distribution-strategy | string | linear | how buckets are distributed over compaction tasks
changelog-producer.compaction-interval | duration | 0 ms | interval between full compactions for the changelog
precommit-compact | bool | false | merge small files before the commit < changelog.precommit-compact
changelog.precommit-compact.thread-num | int | - | threads of that merge
changelog.precommit-compact.buffer-size | memory | 128 mb | buffer size of that merge
commit.custom-listeners | string | '' | listeners of a sink's commits
filesystem.job-level-settings.enabled | bool | true | apply the file system settings of the job
# Recorded by engines
provider | string | - | data source with which Spark created the table
# Older tables
log.system | string | none | log system of the table, in old versions
log.consistency | string | - | consistency of the log, in old versions
log.changelog-mode | string | - | changelog mode of the log, in old versions
log.key.format | string | - | format of keys in the log, in old versions
log.format | string | - | format of rows in the log, in old versions
log.retention | duration | - | retention of the log, in old versions
write-mode | string | - | kind of table, in old versions
snapshot.expire.num-retained | int | - | number of snapshots to retain, in old versions
# Formats
orc.column.encoding.direct | int | - | columns without a dictionary in ORC
orc.dictionary.key.threshold | double | 0.8 | fraction of distinct values up to which ORC uses a dictionary
@orc.timestamp-ltz.legacy.type | bool | true | store zoned timestamps in ORC as old versions did
parquet.enable.dictionary | int | - | use dictionaries in Parquet
"""
