"""The table of all options: what `option_catalogue` reads.

One option a line: name, kind (`option_values`), default, meaning, and after ``<`` its older names. ``!`` marks what
cannot change once there is a snapshot (format §3.3), ``-`` no default, ``''`` empty text. An indented line goes on with
the one above.
"""

from __future__ import annotations

TABLE = """
# The table and its files
!type | enum(table,format-table,materialized-table,object-table,lance-table,iceberg-table) | table | kind of table
path | string | - | directory of the table; set by the catalog
owner | string | - | who owns the table
branch | string | main | branch that is read and written
auto-create | bool | false | create the storage of the table when it is used first
!primary-key | string | - | columns of the primary key, where it is not declared otherwise
!primary-key.nullable | bool | false | allow NULL in key columns
!partition | string | - | partition columns, where they are not declared otherwise
bucket | int | -1 | number of buckets; -1 leaves it open, -2 postpones the choice
!bucket-key | string | - | columns whose hash chooses the bucket; by default the primary key
bucket-append-ordered | bool | true | keep the order of writing inside a bucket of an append table
!bucket-function.type | enum(default,mod,hive) | default | how the bucket is computed from the bucket key
file.format | enum(parquet,orc,avro,csv,json,text,mosaic,lance,vortex,row) | parquet | format of data files
file.format.per.level | map | '' | format by level, such as 0:avro
file.compression | string | zstd | codec of data files
file.compression.per.level | map | '' | codec by level, such as 0:lz4
file.compression.zstd-level | int | 1 | effort of zstd; higher is smaller and slower
file.block-size | memory | - | size of a row group or stripe
file.suffix.include.compression | bool | false | show the codec in file names
data-file.prefix | string | data- | beginning of data file names
!data-file.path-directory | string | - | directory between the table and its partitions
data-file.thin-mode | bool | false | do not store key columns a second time
data-file.external-paths | string | - | other roots for new data files, separated by commas
data-file.external-paths.strategy | enum(none,specific-fs,round-robin,entropy-inject,weight-robin) | none
    | how a root is chosen
data-file.external-paths.specific-fs | string | - | scheme of the only root to use
data-file.external-paths.weights | string | - | shares of the roots
changelog-file.prefix | string | changelog- | beginning of changelog file names
changelog-file.format | string | - | format of changelog files; that of data files by default
changelog-file.compression | string | - | codec of changelog files; that of data files by default
changelog-file.stats-mode | stats-mode | - | statistics of changelog files
target-file-size | memory | - | size of a full data file; 128 MB with a primary key, else 256 MB
target-file-row-num | long | 9223372036854775807 | most rows of a data file
!index-file-in-data-file-dir | bool | false | put index files into bucket directories
add-column-before-partition | bool | false | put new columns in front of the partition columns
alter-column-null-to-not-null.disabled | bool | true | refuse to make a nullable column NOT NULL
disable-explicit-type-casting | bool | false | refuse type changes that may lose values
# Statistics and file indexes
metadata.stats-mode | stats-mode | truncate(16) | statistics kept for each column
metadata.stats-mode.per.level | map | '' | statistics by level, such as 0:none
metadata.stats-dense-store | bool | true | store nothing for columns without statistics
metadata.stats-keep-first-n-columns | int | -1 | columns with statistics, from the first; -1 for all
file-index.in-manifest-threshold | memory | 500 b | largest file index that is kept inside the manifest
file-index.read.enabled | bool | true | skip files with the help of file indexes
# Primary-key tables
!merge-engine | enum(deduplicate,partial-update,aggregation,first-row) | deduplicate
    | how rows of one key become one
ignore-delete | bool | false
    | take no notice of deletes < first-row.ignore-delete, deduplicate.ignore-delete, partial-update.ignore-delete
ignore-update-before | bool | false | take no notice of the old half of updates
sequence.field | string | - | columns that decide which of two rows is newer
sequence.field.sort-order | enum(ascending,descending) | ascending
    | whether the greater or the smaller sequence is newer
!sequence.snapshot-ordering | bool | false | order rows by the snapshot that brought them
!aggregation.remove-record-on-delete | bool | false | a delete removes the whole aggregated row
!partial-update.remove-record-on-delete | bool | false | a delete removes the whole merged row
!partial-update.remove-record-on-sequence-group | string | - | sequence groups whose delete removes the whole row
fields.default-aggregate-function | string | - | aggregate of columns that name none
!rowkind.field | string | - | column that tells insert, update and delete apart
changelog-producer | enum(none,input,full-compaction,lookup) | none | where the changelog comes from
changelog-producer.row-deduplicate | bool | false | leave out updates that change nothing
changelog-producer.row-deduplicate-ignore-fields | string | - | columns that do not count as a change
record-level.expire-time | duration | - | age at which compaction drops a row
record-level.time-field | string | - | column that holds the time of a row
record-level.time-field-type | string | - | unit of that column, in tables of old versions
!pk-clustering-override | bool | false | sort files by the clustering columns, not by the key
delete.force-produce-changelog | bool | false | write changelog for deletes even where the engine would not
deletion-vectors.enabled | bool | false | mark deleted rows beside the files instead of merging on read
deletion-vectors.modifiable | bool | false | allow switching deletion vectors on an existing table
deletion-vectors.merge-on-read | bool | false | merge the newest level on read although vectors are on
deletion-vectors.bitmap64 | bool | false | use vectors for more than 2 billion rows
deletion-vector.index-file.target-size | memory | 2 mb | size of a full file of vectors
dynamic-bucket.target-row-num | long | 2000000 | rows of a full bucket
!dynamic-bucket.initial-buckets | int | - | buckets that a partition starts with
dynamic-bucket.max-buckets | int | -1 | most buckets of a partition; -1 for no limit
dynamic-bucket.assigner-parallelism | int | - | tasks that assign buckets
cross-partition-upsert.index-ttl | duration | - | age at which a key is forgotten by the partition index
cross-partition-upsert.bootstrap-parallelism | int | 10 | threads that load the partition index
postpone.default-bucket-num | int | - | buckets of a partition that is bucketed for the first time
postpone.batch-write-fixed-bucket | bool | true | batch writes go straight into real buckets
postpone.batch-write-fixed-bucket.max-parallelism | int | 2048 | most tasks of such a write
postpone.batch-write-fixed-bucket.rescale-load-factor | int | 32 | how far a bucket may overfill before it is split
postpone.merge-on-read | bool | false | read rows that have no bucket yet
postpone.target-row-num-per-bucket | long | - | rows of a full bucket
postpone.target-size-per-bucket | memory | 1 gb | size of a full bucket
chain-table.enabled | bool | false | read full and incremental branches as one table
chain-table.chain-partition-keys | string | - | partition columns along which branches are chained
chain-table.streaming.merge-snapshot | bool | false | merge the full branch into streaming reads
chain-table.split.key-range-enabled | bool | true | cut splits of chained reads by key range
# Levels and compaction
write-only | bool | false | do not compact or expire while writing < write.compaction-skip
num-sorted-run.compaction-trigger | positive | 5 | sorted runs from which a compaction starts
num-sorted-run.stop-trigger | int | - | sorted runs at which writers wait; trigger + 3 by default
num-levels | positive | - | levels of the tree; trigger + 1 by default
compaction.max-size-amplification-percent | int | 200
    | growth of newer runs, in percent of the oldest, that makes all compact
compaction.size-ratio | int | 1 | percent by which the next run may be larger and still join
compaction.offpeak.start.hour | hour | -1 | first hour of the quiet time; -1 for none
compaction.offpeak.end.hour | hour | -1 | hour at which the quiet time ends; -1 for none
compaction.offpeak-ratio | int | 0 | percent added to the size ratio in the quiet time
compaction.optimization-interval | duration | - | time after which everything is compacted again
compaction.total-size-threshold | memory | - | buckets smaller than this are always compacted whole
compaction.incremental-size-threshold | memory | - | growth outside the last level that makes all compact
compaction.small-file-ratio | double | 0.7 | part of the target size below which a file is small
compaction.min.file-num | int | 5 | small files from which an append table is compacted
compaction.max.file-num | int | - | most files of one append compaction, in tables of old versions
compaction.file-num-limit | int | 100000 | most files of one append compaction
compaction.delete-ratio-threshold | double | 0.2 | part of deleted rows from which a file is rewritten
compaction.force-up-level-0 | bool | false | every compaction takes all of level 0
compaction.force-rewrite-all-files | bool | false | a full compaction rewrites every file
compaction.skip-expired-partitions | bool | false | leave partitions alone that are about to expire
full-compaction.delta-commits | int | - | commits after which everything is compacted
lookup-compact | enum(RADICAL,GENTLE) | RADICAL | how soon level 0 is compacted where lookups need it
lookup-compact.max-interval | int | - | triggers after which a gentle compaction takes level 0
!force-lookup | bool | false | compact as if lookups needed it
lookup-wait | bool | true | commits wait for lookup compaction < changelog-producer.lookup-wait
sort-engine | enum(min-heap,loser-tree) | loser-tree | how sorted runs are merged
sort-spill-threshold | int | - | readers at which a merge goes through disk
sort-spill-buffer-size | memory | 64 mb | memory of a merge that goes through disk
spill-compression | string | zstd | codec of spilled rows
spill-compression.zstd-level | int | 1 | effort of zstd for spilled rows
local-sort.max-num-file-handles | int | 128 | files that one external sort opens at a time
page-size | memory | 64 kb | size of a page of buffered rows
cache-page-size | memory | 64 kb | size of a page of cached rows
clustering.columns | string | - | columns by which rows are clustered < sink.clustering.by-columns
clustering.strategy | enum(auto,order,zorder,hilbert) | auto
    | curve along which rows are clustered < sink.clustering.strategy
clustering.incremental | bool | false | cluster step by step while compacting
clustering.incremental.mode | enum(global-sort,local-sort) | global-sort | cluster over all rows or within each task
clustering.incremental.optimize-write | bool | false | cluster rows while they are written as well
clustering.history-partition.limit | int | 5 | idle partitions clustered in one go
clustering.history-partition.idle-to-full-sort | duration | - | idle time after which a partition is sorted whole
sort-compaction.range-strategy | enum(SIZE,QUANTITY) | SIZE | balance sorted ranges by bytes or by rows
sort-compaction.local-sample.magnification | int | 1000 | how many samples each task takes for the ranges
zorder.var-length-contribution | int | 8 | bytes of text and binary that count in a z-order
# Writing
write-buffer-size | memory | 256 mb | rows kept in memory before a writer flushes
write-buffer-spillable | bool | true | full buffers go to disk before they are flushed
write-buffer-spill.max-disk-size | memory | 9223372036854775807 b | disk that spilled buffers may take
write-buffer-for-append | bool | false | buffer rows of append tables too
write-max-writers-to-spill | int | 10 | open writers from which append rows are buffered
write.batch-size | positive | 1024 | rows of one batch < orc.write.batch-size
write.batch-memory | memory | 128 mb | memory of one batch
write.sequence-number-init-mode | enum(scan,snapshot) | scan | where writers learn the last sequence number
local-merge-buffer-size | memory | - | memory for merging rows before they are shuffled
async-file-write | bool | true | write files in the background
dynamic-partition-overwrite | bool | true | overwriting replaces only the partitions that occur in the data
overwrite-upgrade | bool | true | overwritten files go to the last level where they can
partition.sink-strategy | enum(NONE,HASH,PARTITION_DYNAMIC) | NONE | how rows are spread over writers by partition
# Commits and manifests
commit.user-prefix | string | - | beginning of generated commit users
commit.timeout | duration | - | how long a commit is retried
commit.max-retries | int | 10 | how often a commit is retried
commit.min-retry-wait | duration | 10 ms | first wait between retries
commit.max-retry-wait | duration | 10 s | longest wait between retries
commit.force-compact | bool | false | commits wait for compaction
commit.force-create-snapshot | bool | false | commit even when nothing changed
commit.discard-duplicate-files | bool | false | leave out files that an earlier try committed already
commit.strict-mode.last-safe-snapshot | long | -
    | snapshot after which foreign compactions and overwrites stop a commit
commit.callbacks | string | '' | classes called after a commit
snapshot.ignore-empty-commit | bool | - | make no snapshot when nothing changed
manifest.format | enum(avro,orc,parquet) | avro | format of manifests, in tables of old versions
manifest.compression | string | zstd | codec of manifests
manifest.target-file-size | memory | 8 mb | size of a full manifest
manifest.merge-min-count | int | 30 | small manifests from which they are merged
manifest.full-compaction-threshold-size | memory | 16 mb | changes from which all manifests are rewritten
manifest.merge-optimize.enabled | bool | true | merge manifests without decoding all of them
manifest.delete-file-drop-stats | bool | false | leave statistics out of entries that delete
manifest-sort.enabled | bool | false | sort manifest entries by partition
manifest-sort.partition-field | string | - | partition column to sort by
manifest-sort.max-rewrite-size | memory | 256 mb | manifests that one sort may rewrite
file-operation.thread-num | int | - | threads that delete files < delete-file.thread-num
visibility-callback.enabled | bool | false | wait after a commit until its rows are visible
visibility-callback.timeout | duration | 30 min | longest such wait
visibility-callback.check-interval | duration | 10 s | how often it is looked at
# Snapshots, changelogs, consumers
snapshot.num-retained.min | positive | 10 | snapshots kept whatever their age
snapshot.num-retained.max | positive | 2147483647 | snapshots kept at most
snapshot.time-retained | duration | 1 h | age to which snapshots are kept
snapshot.expire.limit | int | 50 | snapshots removed in one go
snapshot.expire.execution-mode | enum(sync,async) | sync | whether commits wait for expiry
snapshot.clean-empty-directories | bool | false
    | remove emptied directories < snapshot.expire.clean-empty-directories
snapshot.watermark-idle-timeout | duration | - | idle time after which the watermark moves on by itself
changelog.num-retained.min | positive | - | changelogs kept whatever their age; as snapshots by default
changelog.num-retained.max | positive | - | changelogs kept at most; as snapshots by default
changelog.time-retained | duration | - | age to which changelogs are kept; as snapshots by default
consumer-id | string | - | name under which a stream remembers its place
consumer.expiration-time | duration | - | idle time after which a consumer is forgotten
consumer.mode | enum(exactly-once,at-least-once) | exactly-once | how exactly the place is remembered
consumer.ignore-progress | bool | false | start as if the place were not remembered
consumer.changelog-only | bool | false | consumers protect changelogs only, not snapshots
# Tags
tag.automatic-creation | enum(none,process-time,watermark,batch) | none | what makes tags by itself
tag.automatic-completion | bool | false | make missed tags later
tag.create-success-file | bool | false | write a success file for each tag
tag.creation-period | enum(daily,hourly,two-hours) | daily | how often a tag is made
tag.creation-period-duration | duration | - | a period of your own
tag.creation-delay | duration | 0 ms | wait after the period for late rows
tag.period-formatter | enum(with_dashes,without_dashes,without_dashes_and_spaces) | with_dashes
    | how tag names are written
tag.num-retained-max | int | - | automatic tags kept at most
tag.default-time-retained | duration | - | how long tags are kept
tag.time-expire-enabled | bool | true | remove tags whose time is over
tag.batch.customized-name | string | - | name of the tag that a batch job makes
tag.callbacks | string | '' | classes called after a tag is made
metastore.partitioned-table | bool | false | register partitions in the metastore
metastore.tag-to-partition | string | - | partition column as which the metastore shows tags
metastore.tag-to-partition.preview | enum(none,process-time,watermark,batch) | none | tags shown before they exist
# Partitions
partition.default-name | string | __DEFAULT_PARTITION__ | directory text of a null or blank value
partition.legacy-name | bool | true | write values into directories as Java prints them, not as SQL does
partition.expiration-time | duration | - | age at which a partition is dropped
partition.expiration-check-interval | duration | 1 h | how often ages are checked
partition.expiration-strategy | string | values-time
    | what a partition's age is measured by
partition.expiration-max-num | int | 100 | partitions dropped in one go
partition.expiration-batch-size | int | - | partitions dropped in one commit
partition.timestamp-formatter | string | - | format of a partition's time
partition.timestamp-pattern | string | - | how partition columns make up a time
partition.timestamp-format.strict | bool | false | fail on partitions whose time cannot be read
partition.end-input-to-done | bool | false | mark partitions done when the input ends
partition.mark-done-action | string | success-file | what marking a partition done does
partition.mark-done-action.mode | enum(process-time,watermark) | process-time | time by which a partition is done
partition.mark-done-action.custom.class | string | - | class that marks partitions done
partition.mark-done-action.http.url | string | - | address told of done partitions
partition.mark-done-action.http.params | string | - | what that address is told
partition.mark-done.recover-from-state | bool | true | recover partitions to mark from the job's state
partition.idle-time-to-done | duration | - | idle time after which a partition is done
partition.time-interval | duration | - | span of time of one partition
partition.idle-time-to-report-statistic | duration | 0 ms | idle time after which statistics are reported
end-input.check-partition-expire | bool | false | drop old partitions when the input ends
end-input.watermark | long | - | watermark of a job that ends
# Reading
scan.mode | enum(default,latest-full,full,latest,latest-delta,compacted-full,from-timestamp,
    from-creation-timestamp,from-file-creation-time,from-snapshot,from-snapshot-full,incremental) | default
    | where reading starts < log.scan
scan.snapshot-id | long | - | snapshot to read
scan.tag-name | string | - | tag to read
scan.version | string | - | tag or snapshot to read
scan.timestamp | string | - | time as of which to read, as text
scan.timestamp-millis | long | - | time as of which to read, in ms < log.scan.timestamp-millis
scan.watermark | long | - | watermark from which to read
scan.file-creation-time-millis | long | - | leave out files made before this time
scan.creation-time-millis | long | - | start at the first snapshot made after this time
scan.bounded.watermark | long | - | watermark at which a stream ends
scan.bounded | bool | - | read a stream to its present end
scan.bucket | int | - | read this bucket only
scan.partitions | string | - | read these partitions only
scan.fallback-branch | string | - | branch that supplies missing partitions
scan.fallback-branch.read-fail-fast | bool | false | fail when a branch cannot be read
scan.primary-branch | string | - | branch that goes before this one
scan.fallback-snapshot-branch | string | - | branch of full data of a chained table
scan.fallback-delta-branch | string | - | branch of changes of a chained table
scan.ignore-corrupt-files | bool | false | pass over files that cannot be read
scan.ignore-lost-files | bool | false | pass over files that are missing
scan.manifest.parallelism | int | - | threads that read manifests
scan.max-splits-per-task | int | 10 | splits that one stream task holds
scan.plan-sort-partition | bool | false | plan splits in partition order
scan.plan-auto-tag-for-read.time-retained | duration | - | life of a tag that protects a running read
source.split.target-size | memory | 128 mb | size of a split
source.split.open-file-cost | memory | 4 mb | bytes that opening a file counts as
source.split.target-size-with-column-pruning | bool | false | count only the columns read in the size of a split
read.batch-size | positive | 1024 | rows of one batch
file-reader-async-threshold | memory | 10 mb | files from this size on are read in the background
incremental-between | string | - | two snapshots or tags whose changes are read
incremental-between-scan-mode | enum(auto,delta,changelog,diff) | auto | how changes are found
incremental-between-timestamp | string | - | two times between which changes are read
incremental-between-tag-to-snapshot | bool | false | take tags as the snapshots they were made of
incremental-to-auto-tag | string | - | tag up to which changes since the tag before are read
stream-scan-mode | enum(none,compact-bucket-table,file-monitor) | none | internal kinds of streaming reads
batch-scan-mode | enum(none,compact) | none | internal kinds of batch reads
streaming-read-overwrite | bool | false | streams show overwrites of primary-key tables
streaming-read-append-overwrite | bool | false | streams show overwrites of append tables
streaming.read.snapshot.delay | duration | - | how far streams stay behind
continuous.discovery-interval | duration | 10 s | how often streams look for new snapshots
table-read.sequence-number.enabled | bool | false | system tables show sequence numbers
key-value.sequence_number.enabled | bool | false | rows carry their sequence number
query-auth.enabled | bool | false | the catalog decides which rows and columns may be read
read.stream.maxFilesPerTrigger | int | - | most files of a micro-batch
read.stream.maxBytesPerTrigger | long | - | most bytes of a micro-batch
read.stream.maxRowsPerTrigger | long | - | most rows of a micro-batch
read.stream.minRowsPerTrigger | long | - | rows to wait for before a micro-batch
read.stream.maxTriggerDelayMs | long | - | longest wait for those rows
read.changelog | bool | false | show the kind of each row
read.allow.fullScan | bool | true | allow reading all partitions
write.merge-schema | bool | false | add columns of the data to the table
write.merge-schema.type-widening | bool | false | widen types to those of the data
write.merge-schema.explicit-cast | bool | false | change types even where values may be lost
write.use-v2-write | bool | false | write through the newer interface of Spark
write.hive-style-dynamic-partition.enabled | bool | false | treat INSERT OVERWRITE as Hive does
write.data-evolution.update-conflict-retry.max-attempts | int | 20 | how often an update of columns is retried
write.data-evolution.update-conflict-retry.wait-ms | long | 10 | wait between those retries
# Lookups
lookup.async | bool | false | look rows up in the background
lookup.async-thread-number | int | 16 | threads that look rows up
lookup.bootstrap-parallelism | int | 4 | threads that load the looked-up table
lookup.cache | string | AUTO | how the looked-up table is kept
lookup.cache-rows | long | 10000 | rows kept
lookup.cache-file-retention | duration | 1 h | how long lookup files are kept
lookup.cache-max-disk-size | memory | 9223372036854775807 b | disk that lookup files may take
lookup.cache-max-memory-size | memory | 256 mb | memory that lookups may take
lookup.cache-spill-compression | string | zstd | codec of lookup files
lookup.cache.bloom.filter.enabled | bool | true | keep a bloom filter for each lookup file
lookup.cache.bloom.filter.fpp | double | 0.05 | part of false hits of that filter
lookup.cache.high-priority-pool-ratio | double | 0.25 | part of the cache for indexes and filters
lookup.hash-load-factor | double | 0.75 | how full hash files are
lookup.continuous.discovery-interval | duration | - | how often lookups see new snapshots
lookup.blob-as-descriptor | bool | false | lookups give references to large objects
lookup.remote-file.enabled | bool | false | keep lookup files on the table's storage
lookup.remote-file.level-threshold | int | -2147483648 | lowest level whose lookup files are kept there
lookup.merge-buffer-size | memory | 8 mb | memory for merging rows of one key
lookup.merge-records-threshold | int | 1024 | rows of one key that are merged in memory
lookup.dynamic-partition.refresh-interval | duration | 1 h | how often the newest partition is looked for
lookup.dynamic-partition.refresh.async | bool | false | look for it in the background
lookup.refresh.async | bool | false | refresh the looked-up table in the background
lookup.refresh.async.pending-snapshot-count | int | 5 | snapshots it may lag behind before it waits
lookup.refresh.full-load-threshold | int | - | snapshots from which it is loaded anew
lookup.refresh.time-periods-blacklist | string | - | times at which it is not refreshed
local-kv-db.block-size | memory | 4 kb | block size of the local key-value store
# Row ids, columns written apart, large objects
!row-tracking.enabled | bool | false | give every row an id that stays
row-tracking.partition-group-on-commit | bool | true | number the rows of a commit partition by partition
!data-evolution.enabled | bool | false | keep new values of some columns in files of their own
data-evolution.compaction.rewrite-row-ids | bool | false | compaction numbers rows anew
data-evolution.merge-into.file-pruning | bool | true | MERGE reads only files it may change
data-evolution.merge-into.source-persist | bool | false | MERGE keeps its source in memory
data-evolution.reassign.skip-contiguous-row-count | long | 1000000000 | ranges from this size on keep their row ids
data-evolution.row-id-conflict-rewrite.max-size | memory | 256 mb
    | size up to which a conflict is solved by rewriting
data-evolution.row-sidecar.enabled | bool | false | keep small row files beside column files
data-evolution.row-sidecar.max-selected-rows | long | 4096 | rows up to which these are used
data-evolution.row-sidecar.max-selection-ratio | double | 0.05 | part of rows up to which these are used
!blob-field | string | - | columns of large objects
!blob-descriptor-field | string | - | columns that hold references to large objects < blob.stored-descriptor-fields
!blob-view-field | string | - | columns that show large objects of another table
blob-view.resolve.enabled | bool | true | follow such columns when reading
blob-as-descriptor | bool | false | read and write references instead of objects
blob-descriptor.source-table | string | - | table that the references point into
blob-write-null-on-missing-file | bool | false | store NULL where the object is missing
blob-write-null-on-fetch-failure | bool | false | store NULL where the object cannot be fetched
blob-compaction.enabled | bool | false | compact files of large objects too
blob.target-file-size | memory | - | size of a full file of large objects
blob.split-by-file-size | bool | - | count large objects in the size of a split
blob.copy-buffer-size | memory | 4 kb | buffer for copying large objects
vector-field | string | - | columns that are vectors
vector.file.format | string | - | format of files of vectors
vector.target-file-size | memory | - | size of a full file of vectors
vector-search.distribute.enabled | bool | false | search vectors on all tasks
vector-search.lateral-join.batch-size | int | 256 | searches of one batch
vector-search.lateral-join.parallelism | int | 16 | searches at a time
variant.shreddingSchema | string | - | fields of variants stored as columns < parquet.variant.shreddingSchema
variant.inferShreddingSchema | bool | false | find such fields by looking at rows
variant.shredding.inferenceMode | enum(per-file,adaptive) | per-file | look at each file, or learn from earlier ones
variant.shredding.maxSchemaWidth | int | 300 | most fields found
variant.shredding.maxSchemaDepth | int | 50 | deepest field found
variant.shredding.minFieldCardinalityRatio | double | 0.1 | part of rows that must have a field
variant.shredding.maxInferBufferRow | int | 4096 | rows looked at
variant.shredding.adaptive.maxInferBufferRow | int | 256 | rows looked at after the first file
variant.shredding.adaptive.retentionRatio | double | 0.05 | part of rows below which a field is given up
# Global and key indexes
global-index.enabled | bool | true | use global indexes when reading
global-index.external-path | string | - | root of global index files
global-index.row-count-per-shard | long | 100000 | rows of one index file
global-index.build.max-shard | int | 32 | index files built at a time
global-index.build.max-parallelism | int | 4096 | tasks that build indexes
global-index.thread-num | int | 32 | threads that read indexes
global-index.search-mode | enum(fast,full,detail) | - | search indexed rows only, or all
global-index.column-update-action | enum(THROW_ERROR,DROP_PARTITION_INDEX,IGNORE) | THROW_ERROR
    | what happens when an indexed column changes
scalar-index.search-mode | enum(fast,full,detail) | fast | search mode of scalar indexes
vector-index.search-mode | enum(fast,full,detail) | fast | search mode of vector indexes
full-text-index.search-mode | enum(fast,full,detail) | fast | search mode of text indexes
pk-vector.index.columns | string | - | vector columns indexed in each bucket
pk-btree.index.columns | string | - | columns with a b-tree in each bucket
pk-bitmap.index.columns | string | - | columns with bitmaps in each bucket
pk-multivalue.index.columns | string | - | list columns indexed in each bucket
pk-full-text.index.columns | string | - | text columns indexed in each bucket
# Format tables and materialized tables
format-table.implementation | enum(paimon,engine) | paimon | who reads and writes a format table
format-table.file.compression | string | - | codec of a format table
format-table.partition-path-only-value | bool | false | directories hold values without column names
format-table.commit-hive-sync-url | string | - | metastore told of new partitions
format-table.scan.list-parallelism | int | 64 | threads that list directories
format-table.repair.collect-statistics | bool | false | repair collects statistics
format-table.statistics.parallelism | int | 8 | tasks that collect statistics
materialized-table.definition-query | string | - | query of a materialized table
materialized-table.interval-freshness | string | - | how old its rows may be
materialized-table.interval-freshness.time-unit | enum(SECOND,MINUTE,HOUR,DAY) | - | unit of that age
materialized-table.logical-refresh-mode | enum(CONTINUOUS,FULL,AUTOMATIC) | - | refresh mode asked for
materialized-table.refresh-mode | enum(CONTINUOUS,FULL) | - | refresh mode in use
materialized-table.refresh-status | enum(INITIALIZING,ACTIVATED,SUSPENDED) | - | state of refreshing
materialized-table.refresh-handler-description | string | - | job that refreshes it
materialized-table.refresh-handler-bytes | string | - | that job in encoded form
# Iceberg metadata
metadata.iceberg.storage | enum(disabled,table-location,hadoop-catalog,hive-catalog,rest-catalog) | disabled
    | where Iceberg metadata goes
metadata.iceberg.storage-location | enum(table-location,catalog-location) | - | directory of that metadata
metadata.iceberg.format-version | int | 2 | version of that metadata
metadata.iceberg.compaction.min.file-num | int | 10 | small Iceberg manifests from which they are merged
metadata.iceberg.compaction.max.file-num | int | 50 | small Iceberg manifests at which they must be merged
metadata.iceberg.delete-after-commit.enabled | bool | true | remove old Iceberg metadata
metadata.iceberg.previous-versions-max | int | 0 | old Iceberg metadata files kept
metadata.iceberg.uri | string | - | address of the Iceberg catalog
metadata.iceberg.hive-conf-dir | string | - | directory of the Hive configuration
metadata.iceberg.hadoop-conf-dir | string | - | directory of the Hadoop configuration
metadata.iceberg.hive-client-class | string | org.apache.hadoop.hive.metastore.HiveMetaStoreClient
    | client class of the metastore
metadata.iceberg.hive-skip-update-stats | bool | false | leave Hive statistics alone
metadata.iceberg.manifest-compression | string | snappy | codec of Iceberg manifests
metadata.iceberg.manifest-legacy-version | bool | false | write manifests as Iceberg 1.4 did
metadata.iceberg.database | string | - | database in the Iceberg catalog
metadata.iceberg.table | string | - | table in the Iceberg catalog
metadata.iceberg.glue.skip-archive | bool | false | AWS Glue keeps no old versions
# Flink jobs
scan.parallelism | int | - | tasks of a source
scan.infer-parallelism | bool | true | find the number of tasks by the splits
scan.infer-parallelism.max | int | 1024 | most tasks found that way
scan.max-snapshot.count | int | -1 | snapshots that one scan may hold
scan.split-enumerator.batch-size | int | 10 | splits handed out at a time
scan.split-enumerator.mode | enum(fair,preemptive) | fair | how splits are handed out
scan.dedicated-split-generation | bool | false | plan splits in a task of its own
scan.remove-normalize | bool | false | leave out the step that completes changelogs < log.scan.remove-normalize
scan.watermark.alignment.group | string | - | sources whose watermarks stay together
scan.watermark.alignment.max-drift | duration | - | how far they may differ
scan.watermark.alignment.update-interval | duration | 1 s | how often they are compared
scan.watermark.emit.strategy | enum(on-periodic,on-event) | on-event | when watermarks are sent
scan.watermark.idle-timeout | duration | - | idle time after which a source does not hold others up
read.shuffle-bucket-with-partition | bool | true | spread buckets over tasks by partition
source.checkpoint-align.enabled | bool | false | line snapshots up with checkpoints
source.checkpoint-align.timeout | duration | 30 s | longest wait for that
source.operator-uid.suffix | string | - | ending of operator ids of sources
sink.operator-uid.suffix | string | - | ending of operator ids of sinks
sink.parallelism | int | - | tasks of a sink
sink.watermark-time-zone | string | UTC | zone of watermarks in tag names
sink.process-time-zone | string | - | zone of processing times in tag names
sink.use-managed-memory-allocator | bool | false | take write buffers from Flink's memory
sink.managed.writer-buffer-memory | memory | 256 mb | Flink's memory for a writer
sink.cross-partition.managed-memory | memory | 256 mb | Flink's memory for the partition index
sink.savepoint.auto-tag | bool | false | make a tag for each savepoint
sink.writer-cpu | double | 1.0 | cores of a writer
sink.writer-memory | memory | - | memory of a writer
sink.committer-cpu | double | 1.0 | cores of the committer
sink.committer-memory | memory | - | memory of the committer
sink.committer-operator-chaining | bool | true | run the committer together with others
sink.coordinator-commit.enabled | bool | false | commit in the coordinator
sink.writer-coordinator.enabled | bool | false | writers ask one coordinator for files
sink.writer-coordinator.cache-memory | memory | 2 gb | memory of that coordinator
sink.writer-coordinator.cache-expire-after-access | duration | - | how long it keeps what nobody asks for
sink.writer-coordinator.cache-soft-values | bool | true | let Java's memory pressure empty its cache
sink.writer-coordinator.page-size | memory | 32 kb | size of one answer
sink.writer-coordinator.prefetch-manifests | bool | false | read manifests ahead
sink.writer-refresh-detectors | string | - | option groups whose change writers notice
sink.key-only-deletes.enabled | bool | false | take deletes that hold the key only
sink.clustering.sample-factor | int | 100 | samples for clustering ranges
sink.clustering.sort-in-cluster | bool | true | sort rows inside a cluster
unaware-bucket.compaction.parallelism | int | - | tasks that compact append tables
unaware-bucket.no-shuffle | bool | false | append rows where they arrive
compaction.bucket-distribution-strategy | string | linear | how buckets are spread over compaction tasks
changelog-producer.compaction-interval | duration | 0 ms | time between full compactions for the changelog
precommit-compact | bool | false | merge small files before the commit < changelog.precommit-compact
changelog.precommit-compact.thread-num | int | - | threads that do so
changelog.precommit-compact.buffer-size | memory | 128 mb | memory that doing so takes
commit.custom-listeners | string | '' | listeners of a sink's commits
filesystem.job-level-settings.enabled | bool | true | file system settings of the job count
# Noted by engines
provider | string | - | the data source by which Spark made the table
# Older tables
log.system | string | none | log beside the table, in old versions
log.consistency | string | - | when the log shows rows, in old versions
log.changelog-mode | string | - | what the log holds, in old versions
log.key.format | string | - | format of keys in the log, in old versions
log.format | string | - | format of rows in the log, in old versions
log.retention | duration | - | how long the log keeps rows, in old versions
write-mode | string | - | kind of table, in old versions
snapshot.expire.num-retained | int | - | snapshots kept, in old versions
# Formats
orc.column.encoding.direct | int | - | columns without a dictionary in ORC
orc.dictionary.key.threshold | double | 0.8 | part of distinct values up to which ORC keeps a dictionary
orc.timestamp-ltz.legacy.type | bool | true | store zoned times in ORC as old versions did
parquet.enable.dictionary | int | - | keep dictionaries in Parquet
"""
