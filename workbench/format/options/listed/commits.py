"""Options of writes, commits, snapshots, tags and partitions."""

from __future__ import annotations

LIST = """
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
"""
