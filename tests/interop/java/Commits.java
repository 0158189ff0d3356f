import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.deletionvectors.DeletionVectorsIndexFile;
import org.apache.paimon.index.DeletionVectorMeta;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.FileStoreCommit;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessageImpl;

/** Commits of files that exist by name only, one after the other: which of them the class of the commit takes. */
public final class Commits {
    private Commits() {}

    /** Performs the steps of a case; tells of each what became of it, and at the end the snapshots and the files. */
    public static void perform(FileStoreTable table, JsonNode request, ObjectNode answer) throws Exception {
        ArrayNode outcomes = answer.putArray("outcomes");
        for (JsonNode step : request.get("steps")) {
            outcomes.add(outcome(table, step));
        }
        ArrayNode kinds = answer.putArray("kinds");
        Snapshot latest = table.snapshotManager().latestSnapshot();
        for (long id = 1; latest != null && id <= latest.id(); id++) {
            kinds.add(table.snapshotManager().snapshot(id).commitKind().toString());
        }
        TreeSet<String> files = new TreeSet<>();
        if (latest != null) {
            for (ManifestEntry entry : table.store().newScan().withSnapshot(latest.id()).plan().files()) {
                files.add(String.join(
                        " ",
                        String.valueOf(entry.partition().getInt(0)),
                        String.valueOf(entry.bucket()),
                        String.valueOf(entry.totalBuckets()),
                        String.valueOf(entry.level()),
                        entry.fileName()));
            }
        }
        files.forEach(answer.putArray("files")::add);
    }

    private static String outcome(FileStoreTable table, JsonNode step) throws Exception {
        Map<String, String> options = new HashMap<>();
        step.path("options").fields().forEachRemaining(each -> options.put(each.getKey(), each.getValue().asText()));
        FileStoreTable changed = options.isEmpty() ? table : table.copy(options);
        ManifestCommittable committable = new ManifestCommittable(step.path("identifier").asLong(1), null);
        for (JsonNode message : step.path("messages")) {
            committable.addFileCommittable(message(message));
        }
        try (FileStoreCommit commit = changed.store().newCommit(step.get("user").asText(), changed)) {
            commit.ignoreEmptyCommit(step.path("ignore_empty").asBoolean(true));
            if (step.path("filter").asBoolean(false)
                    && commit.filterCommitted(Collections.singletonList(committable)).isEmpty()) {
                return "committed before";
            }
            if (step.has("overwrite")) {
                Map<String, String> partition = new LinkedHashMap<>();
                step.get("overwrite").fields().forEachRemaining(each -> partition.put(each.getKey(), each.getValue().asText()));
                commit.overwritePartition(partition, committable);
            } else {
                commit.commit(committable, step.path("check").asBoolean(false));
            }
            return "done";
        } catch (RuntimeException failure) {
            return "refused: " + String.valueOf(failure.getMessage()).split("\n")[0];
        }
    }

    private static CommitMessageImpl message(JsonNode message) {
        return new CommitMessageImpl(
                row(message.get("p").asInt()),
                message.path("bucket").asInt(0),
                message.path("total").asInt(1),
                new DataIncrement(
                        files(message.path("new")),
                        files(message.path("deleted")),
                        new ArrayList<>(),
                        vectors(message.path("new_vectors")),
                        vectors(message.path("deleted_vectors"))),
                new CompactIncrement(
                        files(message.path("before")),
                        files(message.path("after")),
                        new ArrayList<>(),
                        vectors(message.path("compact_new_vectors")),
                        vectors(message.path("compact_deleted_vectors"))));
    }

    /** Each file as {@code [name, level, least key, greatest key]}. */
    private static List<DataFileMeta> files(JsonNode files) {
        List<DataFileMeta> out = new ArrayList<>();
        for (JsonNode file : files) {
            out.add(DataFileMeta.create(
                    file.get(0).asText(),
                    100,
                    10,
                    key(file.get(2).asLong()),
                    key(file.get(3).asLong()),
                    SimpleStats.EMPTY_STATS,
                    SimpleStats.EMPTY_STATS,
                    0,
                    9,
                    0,
                    file.get(1).asInt(),
                    0L,
                    null,
                    FileSource.APPEND,
                    null,
                    null,
                    null));
        }
        return out;
    }

    /** Each index file as {@code [name, [data file…]]}. */
    private static List<IndexFileMeta> vectors(JsonNode indexes) {
        List<IndexFileMeta> out = new ArrayList<>();
        for (JsonNode index : indexes) {
            LinkedHashMap<String, DeletionVectorMeta> ranges = new LinkedHashMap<>();
            int offset = 1;
            for (JsonNode file : index.get(1)) {
                ranges.put(file.asText(), new DeletionVectorMeta(file.asText(), offset, 22, 1L));
                offset += 30;
            }
            out.add(new IndexFileMeta(
                    DeletionVectorsIndexFile.DELETION_VECTORS_INDEX, index.get(0).asText(), 100, ranges.size(), ranges, null));
        }
        return out;
    }

    private static BinaryRow row(int value) {
        BinaryRow row = new BinaryRow(1);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeInt(0, value);
        writer.complete();
        return row;
    }

    private static BinaryRow key(long value) {
        BinaryRow row = new BinaryRow(1);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(0, value);
        writer.complete();
        return row;
    }
}
