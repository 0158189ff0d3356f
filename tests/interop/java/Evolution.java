import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.append.dataevolution.DataEvolutionCompactCoordinator;
import org.apache.paimon.append.dataevolution.DataEvolutionCompactTask;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.Blob;
import org.apache.paimon.data.BlobPlaceholder;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.operation.DataEvolutionSplitRead;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.EndOfScanException;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.DataEvolutionUtils;

/** What engines do to tables that track their rows: the core has a part of it only. */
public final class Evolution {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Evolution() {}

    public static void perform(FileStoreTable table, JsonNode request, ObjectNode answer) throws Exception {
        switch (request.get("what").asText()) {
            case "update":
                update(table, request);
                break;
            case "compact-columns":
                commit(table, columnCompactions(table, request));
                break;
            case "compact-tracked":
                commit(table, trackedCompactions(table));
                break;
            case "erase":
                commit(table, erasures(table, request.get("first").asInt(), request.get("step").asInt()));
                break;
            case "descriptors":
                descriptors(table, request.get("column").asText(), answer.putArray("descriptors"));
                break;
            default:
                throw new IllegalArgumentException("unknown " + request);
        }
    }

    private static void commit(FileStoreTable table, List<CommitMessage> messages) throws Exception {
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(messages);
        }
    }

    /**
     * Writes some columns of all rows from a row id on, or new rows. Of a large object {@code "placeholder"} stands for what was
     * there before, and a descriptor in hex behind a {@code "@"} for what it points at.
     */
    private static void update(FileStoreTable table, JsonNode request) throws Exception {
        List<String> columns = new ArrayList<>();
        request.get("columns").forEach(node -> columns.add(node.asText()));
        RowType type = (request.path("tracked").asBoolean(false)
                        ? SpecialFields.rowTypeWithRowTracking(table.rowType(), false, true)
                        : table.rowType())
                .project(columns);
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite().withWriteType(type);
                BufferedReader rows = Files.newBufferedReader(Paths.get(request.get("rows").asText()), StandardCharsets.UTF_8)) {
            for (String line = rows.readLine(); line != null; line = rows.readLine()) {
                JsonNode values = MAPPER.readTree(line);
                GenericRow row = new GenericRow(type.getFieldCount());
                for (int place = 0; place < type.getFieldCount(); place++) {
                    int i = place;
                    JsonNode value = values.get(i + 1);
                    row.setField(i, object(table, value.asText()).orElseGet(() -> Values.read(type.getTypeAt(i), value)));
                }
                write.write(row);
            }
            List<CommitMessage> messages = write.prepareCommit();
            if (request.hasNonNull("first_row_id")) {
                messages.forEach(message -> number((CommitMessageImpl) message, request.get("first_row_id").asLong()));
            }
            commit(table, messages);
        }
    }

    private static Optional<Object> object(FileStoreTable table, String text) {
        if (text.equals("placeholder")) {
            return Optional.of(BlobPlaceholder.INSTANCE);
        }
        return text.startsWith("@")
                ? Optional.of(Blob.fromBytes(Values.bytes(text.substring(1)), null, table.fileIO()))
                : Optional.empty();
    }

    /** Files of the same columns follow each other from a row id on. */
    private static void number(CommitMessageImpl message, long firstRowId) {
        Map<List<String>, Long> next = new HashMap<>();
        List<DataFileMeta> files = message.newFilesIncrement().newFiles();
        files.replaceAll(file -> {
            long first = next.getOrDefault(file.writeCols(), firstRowId);
            next.put(file.writeCols(), first + file.rowCount());
            return file.assignFirstRowId(first);
        });
    }

    private static List<CommitMessage> columnCompactions(FileStoreTable table, JsonNode request) throws Exception {
        FileStoreTable eager = table.copy(Collections.singletonMap("compaction.min.file-num", "2"));
        boolean blobs = request.path("blobs").asBoolean(false);
        List<CommitMessage> messages = new ArrayList<>();
        for (DataEvolutionCompactTask task :
                new DataEvolutionCompactCoordinator(eager, blobs, true, table.latestSnapshot().get()).plan()) {
            messages.add(task.doCompact(table, UUID.randomUUID().toString()));
        }
        return messages;
    }

    private static List<CommitMessage> trackedCompactions(FileStoreTable table) throws Exception {
        FileStoreTable eager = table.copy(Collections.singletonMap("compaction.min.file-num", "2"));
        AppendCompactCoordinator coordinator = new AppendCompactCoordinator(eager, false);
        BaseAppendFileStoreWrite write = (BaseAppendFileStoreWrite) table.store().newWrite(UUID.randomUUID().toString());
        write.withWriteType(SpecialFields.rowTypeWithRowTracking(table.rowType()));
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

    /** Deletes every {@code step}-th row of every range of row ids. */
    private static List<CommitMessage> erasures(FileStoreTable table, int first, int step) throws Exception {
        Map<BinaryRow, BaseAppendDeleteFileMaintainer> maintainers = new LinkedHashMap<>();
        for (DataSplit split : table.newSnapshotReader().read().dataSplits()) {
            BaseAppendDeleteFileMaintainer maintainer = maintainers.computeIfAbsent(
                    split.partition(),
                    partition -> BaseAppendDeleteFileMaintainer.forUnawareAppend(
                            table.store().newIndexFileHandler(), table.latestSnapshot().get(), partition));
            for (List<DataFileMeta> range : DataEvolutionSplitRead.mergeRangesAndSort(split.dataFiles())) {
                DataFileMeta anchor = DataEvolutionUtils.retrieveAnchorFile(range, file -> file);
                DeletionVector vector = new BitmapDeletionVector();
                for (long row = first; row < anchor.rowCount(); row += step) {
                    vector.delete(row);
                }
                if (!vector.isEmpty()) {
                    maintainer.notifyNewDeletionVector(anchor.fileName(), vector);
                }
            }
        }
        List<CommitMessage> messages = new ArrayList<>();
        maintainers.values().forEach(each -> messages.add(Deletions.message(each, table.coreOptions().bucket())));
        return messages;
    }

    private static void descriptors(FileStoreTable table, String column, ArrayNode out) throws Exception {
        ReadBuilder builder = table.newReadBuilder().withProjection(new int[] {table.rowType().getFieldIndex(column)});
        try (RecordReaderIterator<InternalRow> rows =
                new RecordReaderIterator<>(builder.newRead().createReader(builder.newScan().plan()))) {
            while (rows.hasNext()) {
                InternalRow row = rows.next();
                out.add(row.isNullAt(0) ? null : Values.hex(row.getBlob(0).toDescriptor().serialize()));
            }
        }
    }
}
