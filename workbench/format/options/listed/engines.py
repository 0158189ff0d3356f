"""Options of format tables, Iceberg metadata, Flink and other engines, and of file formats."""

from __future__ import annotations

LIST = """
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
