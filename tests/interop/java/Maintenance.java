import java.util.Collections;
import java.util.Map;
import java.util.UUID;
import org.apache.paimon.consumer.Consumer;
import org.apache.paimon.consumer.ConsumerManager;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.TableCommitImpl;

/** What engines do to a table beside writing rows: commits without rows, branches that move, readers that take notes. */
public final class Maintenance {
    private Maintenance() {}

    public static void perform(FileStoreTable table, JsonNode request) throws Exception {
        String subject = request.path("subject").asText();
        switch (request.get("what").asText()) {
            case "fast-forward":
                table.fastForward(subject);
                break;
            case "consumer":
                new ConsumerManager(table.fileIO(), table.location(), table.coreOptions().branch())
                        .resetConsumer(subject, new Consumer(request.get("snapshot").asLong()));
                break;
            case "watermark":
                try (TableCommitImpl commit = table.newCommit(UUID.randomUUID().toString())) {
                    commit.ignoreEmptyCommit(false)
                            .commit(new ManifestCommittable(1, request.get("snapshot").asLong()));
                }
                break;
            case "drop-partition":
                Map<String, String> partition = Collections.singletonMap(subject, request.get("value").asText());
                try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
                    commit.truncatePartitions(Collections.singletonList(partition));
                }
                break;
            default:
                throw new IllegalArgumentException("unknown maintenance " + request);
        }
    }
}
