import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.operation.ListUnexistingFiles;
import org.apache.paimon.operation.PartitionExpire;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.partition.PartitionExpireStrategy;
import org.apache.paimon.partition.actions.SuccessFileMarkDoneAction;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.tag.TagAutoManager;
import org.apache.paimon.tag.TagBatchCreation;

/** What keeps a table small or notes what it holds, called as engines call it. */
public final class Keeping {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Keeping() {}

    public static void perform(FileStoreTable table, JsonNode request, ObjectNode answer) throws Exception {
        switch (request.get("what").asText()) {
            case "expire-changelogs":
                int retained = request.get("retain").asInt();
                ExpireConfig config = ExpireConfig.builder()
                        .changelogRetainMax(retained)
                        .changelogRetainMin(retained)
                        .changelogTimeRetain(Duration.ZERO)
                        .build();
                answer.put("expired", table.newExpireChangelog().config(config).expire());
                break;
            case "expire-tags":
                TagAutoManager manager = table.store().newTagAutoManager(table);
                answer.set("tags", MAPPER.valueToTree(
                        manager.getTagTimeExpire().withOlderThanTime(LocalDateTime.now()).expire()));
                break;
            case "create-tags":
                table.store().newTagAutoManager(table).getTagAutoCreation().run();
                break;
            case "batch-tag":
                new TagBatchCreation(table).createTag();
                break;
            case "expire-partitions":
                answer.set("partitions", MAPPER.valueToTree(expirePartitions(table, request)));
                break;
            case "unexisting-files":
                answer.set("files", MAPPER.valueToTree(unexistingFiles(table)));
                break;
            case "statistics":
                answer.set("statistics", MAPPER.valueToTree(statistics(table)));
                break;
            case "roll-back-as-latest":
                try (TableCommitImpl commit = table.newCommit("keeper")) {
                    answer.put("done", commit.rollbackToAsLatest(
                            table.tagManager().getOrThrow(request.get("subject").asText())));
                }
                break;
            case "earlier-watermark":
                answer.put("snapshot", table.snapshotManager()
                        .earlierOrEqualWatermark(request.get("at").asLong()).id());
                break;
            case "later-time":
                answer.put("snapshot", table.snapshotManager()
                        .laterOrEqualTimeMills(request.get("at").asLong()).id());
                break;
            case "repair-earliest":
                answer.put("before", table.snapshotManager().repairEarliestSnapshot(request.get("at").asLong()));
                break;
            case "clear-consumers":
                table.consumerManager().clearConsumers(
                        Pattern.compile(request.get("subject").asText()),
                        Pattern.compile(request.get("without").asText()));
                break;
            case "purge":
                table.purgeFiles();
                break;
            case "mark-done":
                new SuccessFileMarkDoneAction(table.fileIO(), table.location())
                        .markDone(request.get("subject").asText());
                break;
            default:
                throw new IllegalArgumentException("unknown keeping " + request);
        }
    }

    private static List<Map<String, String>> expirePartitions(FileStoreTable table, JsonNode request) {
        PartitionExpireStrategy strategy = PartitionExpireStrategy.createPartitionExpireStrategy(
                CoreOptions.fromMap(table.options()), table.schema().logicalPartitionType(), null, null);
        PartitionExpire expire = table.store().newPartitionExpire(
                "keeper", table, Duration.ofMillis(request.get("age").asLong()), Duration.ZERO, strategy);
        return expire.expire(Long.MAX_VALUE);
    }

    private static TreeSet<String> unexistingFiles(FileStoreTable table) throws Exception {
        TreeSet<String> names = new TreeSet<>();
        List<CommitMessage> messages = new ArrayList<>();
        for (BinaryRow partition : table.newScan().listPartitions()) {
            Map<Integer, Map<String, DataFileMeta>> lost = new ListUnexistingFiles(table).list(partition);
            for (Map.Entry<Integer, Map<String, DataFileMeta>> bucket : lost.entrySet()) {
                bucket.getValue().values().forEach(file -> names.add(file.fileName()));
                DataIncrement increment = new DataIncrement(
                        Collections.emptyList(),
                        new ArrayList<>(bucket.getValue().values()),
                        Collections.emptyList());
                messages.add(new CommitMessageImpl(
                        partition, bucket.getKey(), table.coreOptions().bucket(), increment,
                        CompactIncrement.emptyIncrement()));
            }
        }
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(messages);
        }
        return names;
    }

    /** The bounds as Java's own values print themselves, once they were made of the stored texts. */
    private static Map<String, Object> statistics(FileStoreTable table) {
        Statistics found = table.statistics().get();
        Map<String, Object> out = new TreeMap<>();
        out.put("snapshot", found.snapshotId());
        out.put("schema", found.schemaId());
        out.put("rows", found.mergedRecordCount().getAsLong());
        out.put("bytes", found.mergedRecordSize().getAsLong());
        for (Map.Entry<String, ColStats<?>> entry : found.colStats().entrySet()) {
            ColStats<?> column = entry.getValue();
            List<Object> values = new ArrayList<>();
            values.add(column.colId());
            values.add(column.distinctCount().getAsLong());
            values.add(column.nullCount().getAsLong());
            values.add(column.avgLen().getAsLong());
            values.add(column.maxLen().getAsLong());
            values.add(column.min().map(Object::toString).orElse(null));
            values.add(column.max().map(Object::toString).orElse(null));
            out.put("column " + entry.getKey(), values);
        }
        return out;
    }
}
