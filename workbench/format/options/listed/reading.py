"""Options of reads, lookups, row ids and indexes."""

from __future__ import annotations

LIST = """
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
"""
