import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.EndOfScanException;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/** Writes rows to a table, and compacts it completely. */
public final class Writes {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Writes() {}

    static void write(Table table, IOManager spill, JsonNode request, ObjectNode answer) throws Exception {
        RowType rowType = table.rowType();
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        if (request.path("overwrite").asBoolean(false)) {
            builder.withOverwrite();
        }
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit();
                BufferedReader rows = Files.newBufferedReader(Paths.get(request.get("rows").asText()), StandardCharsets.UTF_8)) {
            write.withIOManager(spill);
            for (String line = rows.readLine(); line != null; line = rows.readLine()) {
                write.write(row(rowType, MAPPER.readTree(line)));
            }
            commit.commit(write.prepareCommit());
        }
        Referee.latest(table, answer);
    }

    static InternalRow row(RowType rowType, JsonNode line) {
        GenericRow row = new GenericRow(RowKind.fromShortString(line.get(0).asText()), rowType.getFieldCount());
        for (int i = 0; i < rowType.getFieldCount(); i++) {
            row.setField(i, Values.read(rowType.getTypeAt(i), line.get(i + 1)));
        }
        return row;
    }

    static void compact(Table written, IOManager spill, ObjectNode answer) throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("write-only", "false");
        options.put("compaction.min.file-num", "2");
        FileStoreTable table = (FileStoreTable) written.copy(options);
        List<CommitMessage> messages =
                table.bucketMode() == BucketMode.BUCKET_UNAWARE ? compactUnaware(table) : compactBuckets(table, spill);
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableCommit commit = builder.newCommit()) {
            commit.commit(messages);
        }
        answer.put("messages", messages.size());
        Referee.latest(table, answer);
    }

    private static List<CommitMessage> compactBuckets(FileStoreTable table, IOManager spill) throws Exception {
        Set<Map.Entry<BinaryRow, Integer>> buckets = new LinkedHashSet<>();
        for (DataSplit split : table.newSnapshotReader().read().dataSplits()) {
            buckets.add(Map.entry(split.partition(), split.bucket()));
        }
        try (TableWriteImpl<?> write = table.newWrite(UUID.randomUUID().toString())) {
            write.withIOManager(spill);
            for (Map.Entry<BinaryRow, Integer> bucket : buckets) {
                write.compact(bucket.getKey(), bucket.getValue(), true);
            }
            return write.prepareCommit(true, 0);
        }
    }

    private static List<CommitMessage> compactUnaware(FileStoreTable table) throws Exception {
        AppendCompactCoordinator coordinator = new AppendCompactCoordinator(table, false);
        BaseAppendFileStoreWrite write = (BaseAppendFileStoreWrite) table.store().newWrite(UUID.randomUUID().toString());
        List<CommitMessage> messages = new ArrayList<>();
        try {
            while (true) {
                for (AppendCompactTask task : coordinator.run()) {
                    messages.add(task.doCompact(table, write));
                }
            }
        } catch (EndOfScanException end) {
            return messages;
        } finally {
            write.close();
        }
    }
}
