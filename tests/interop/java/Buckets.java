import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.crosspartition.GlobalIndexAssigner;
import org.apache.paimon.crosspartition.IndexBootstrap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.index.BucketAssigner;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.index.SimpleHashBucketAssigner;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PostponeUtils;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;
import org.apache.paimon.table.source.DataSplit;

/** Writes tables whose buckets are assigned, with the assigners that Flink and Spark use: the core alone has no call for it. */
public final class Buckets {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Buckets() {}

    /** Writes the rows of a file in one commit. */
    public static void write(FileStoreTable table, Path file, boolean overwrite, IOManager spill) throws Exception {
        List<InternalRow> rows = new ArrayList<>();
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                rows.add(Writes.row(table.rowType(), MAPPER.readTree(line)));
            }
        }
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        if (overwrite) {
            builder.withOverwrite();
        }
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(spill);
            if (table.bucketMode() == BucketMode.KEY_DYNAMIC) {
                crossing(table, rows, write, spill);
            } else {
                dynamic(table, rows, write, overwrite);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /** Writes the rows that wait for a bucket to a file, with their kinds, in the order in which Flink replays them. */
    public static void waiting(FileStoreTable table, Path out) throws Exception {
        List<DataSplit> splits = new ArrayList<>(
                table.newSnapshotReader().withBucket(BucketMode.POSTPONE_BUCKET).read().dataSplits());
        splits = PostponeUtils.groupPostponeFiles(splits);
        try (BufferedWriter lines = Files.newBufferedWriter(out, StandardCharsets.UTF_8)) {
            for (DataSplit split : splits) {
                try (RecordReaderIterator<InternalRow> rows =
                        new RecordReaderIterator<>(table.newRead().createReader(split))) {
                    while (rows.hasNext()) {
                        InternalRow row = rows.next();
                        ArrayNode line = MAPPER.createArrayNode().add(row.getRowKind().shortString());
                        lines.write(MAPPER.writeValueAsString(line.addAll(Values.fields(table.rowType(), row))));
                        lines.write('\n');
                    }
                }
            }
        }
    }

    private static void dynamic(FileStoreTable table, List<InternalRow> rows, BatchTableWrite write, boolean overwrite)
            throws Exception {
        CoreOptions options = table.coreOptions();
        long target = options.dynamicBucketTargetRowNum();
        int most = options.dynamicBucketMaxBuckets();
        Integer initial = options.dynamicBucketInitialBuckets();
        RowPartitionKeyExtractor extractor = new RowPartitionKeyExtractor(table.schema());
        int assigners = initial == null ? 1 : initial;
        List<BucketAssigner> parts = new ArrayList<>();
        for (int id = 0; id < assigners; id++) {
            parts.add(
                    overwrite
                            ? new SimpleHashBucketAssigner(assigners, id, target, most)
                            : new HashBucketAssigner(
                                    table.snapshotManager(),
                                    UUID.randomUUID().toString(),
                                    table.store().newIndexFileHandler(),
                                    assigners,
                                    assigners,
                                    id,
                                    target,
                                    most));
        }
        for (InternalRow row : rows) {
            int partition = extractor.partition(row).hashCode();
            int key = extractor.trimmedPrimaryKey(row).hashCode();
            int id = BucketAssigner.computeAssigner(partition, key, assigners, assigners);
            write.write(row, parts.get(id).assign(extractor.partition(row), key));
        }
    }

    private static void crossing(FileStoreTable table, List<InternalRow> rows, BatchTableWrite write, IOManager spill)
            throws Exception {
        try (GlobalIndexAssigner assigner = new GlobalIndexAssigner(table)) {
            assigner.open(0, null, spill, 1, 0, (row, bucket) -> {
                try {
                    write.write(row, bucket);
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                }
            });
            try (RecordReaderIterator<InternalRow> known =
                    new RecordReaderIterator<>(new IndexBootstrap(table).bootstrap(1, 0))) {
                while (known.hasNext()) {
                    assigner.bootstrapKey(known.next());
                }
            }
            for (InternalRow row : rows) {
                assigner.processInput(row);
            }
            assigner.endBoostrap(true);
        }
    }
}
