import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.append.BucketedAppendCompactManager;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.BucketedDvMaintainer;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.index.DeletionVectorMeta;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.types.DataTypes;

/**
 * Records what Java Paimon's own classes pick of the files of generated append tables, one JSON object per line.
 *
 * <p>Compiled and run with the number of cases and a seed; the class path needs a Paimon bundle, Hadoop's client and
 * slf4j. The recorded cases are read by tests/unit/lsm.
 */
public class RecordAppendPicks {

    private static final int ROWS = 100;

    public static void main(String[] arguments) throws Exception {
        int cases = Integer.parseInt(arguments[0]);
        Random random = new Random(Long.parseLong(arguments[1]));
        Options context = new Options();
        context.set("warehouse", Files.createTempDirectory("append-picks").toString());
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(context))) {
            catalog.createDatabase("db", true);
            for (int i = 0; i < cases; i++) {
                System.out.println(new Case(random).record(catalog, "t" + i, executor));
            }
        }
        executor.shutdown();
    }

    /** The files of one partition or bucket, and the options of its table. Sizes are in kilobytes, none twice. */
    private static final class Case {
        final Map<String, String> options = new LinkedHashMap<>();
        final List<DataFileMeta> files = new ArrayList<>();
        final Map<String, Long> deleted = new LinkedHashMap<>();
        final Map<String, List<String>> indexes = new LinkedHashMap<>();

        Case(Random random) {
            options.put("target-file-size", (200 + 100 * random.nextInt(10)) + " kb");
            options.put("source.split.open-file-cost", (random.nextInt(3) * 40) + " kb");
            options.put("compaction.min.file-num", String.valueOf(2 + random.nextInt(5)));
            options.put("compaction.small-file-ratio", random.nextBoolean() ? "0.7" : "0.4");
            options.put("compaction.delete-ratio-threshold", random.nextBoolean() ? "0.2" : "0.5");
            options.put("compaction.force-rewrite-all-files", String.valueOf(random.nextInt(6) == 0));
            boolean vectors = random.nextBoolean();
            options.put("deletion-vectors.enabled", String.valueOf(vectors));
            int scale = 1 + random.nextInt(12);
            int count = random.nextInt(14);
            List<Integer> sizes = new ArrayList<>();
            while (sizes.size() < count) {
                int size = 1 + random.nextInt(100) * scale;
                if (!sizes.contains(size)) {
                    sizes.add(size);
                }
            }
            for (int i = 0; i < count; i++) {
                files.add(file("f" + i, 1024L * sizes.get(i), 10L * i));
                if (vectors && random.nextInt(3) == 0) {
                    deleted.put("f" + i, 1L + random.nextInt(ROWS));
                    indexes.computeIfAbsent("index-" + random.nextInt(3), name -> new ArrayList<>()).add("f" + i);
                }
            }
        }

        String record(Catalog catalog, String name, ExecutorService executor) throws Exception {
            List<String> fields = new ArrayList<>();
            fields.add("\"options\":{" + options.entrySet().stream()
                    .map(each -> "\"" + each.getKey() + "\":\"" + each.getValue() + "\"")
                    .collect(Collectors.joining(",")) + "}");
            fields.add("\"files\":" + array(files, file -> String.format(
                    "[\"%s\",%d,%d]", file.fileName(), file.fileSize(), file.minSequenceNumber())));
            fields.add("\"vectors\":" + array(new ArrayList<>(indexes.entrySet()), index -> array(
                    index.getValue(), file -> "[\"" + index.getKey() + "\",\"" + file + "\"," + deleted.get(file) + "]")));
            fields.add("\"unaware\":" + unaware(table(catalog, name, -1)));
            FileStoreTable bucketed = table(catalog, name + "b", 1);
            fields.add("\"bucketed\":" + bucketed(bucketed, executor, false));
            fields.add("\"bucketed_full\":" + bucketed(bucketed, executor, true));
            return "{" + String.join(",", fields) + "}";
        }

        FileStoreTable table(Catalog catalog, String name, int buckets) throws Exception {
            Schema.Builder schema = Schema.newBuilder().column("id", DataTypes.INT());
            options.forEach(schema::option);
            schema.option("bucket", String.valueOf(buckets));
            if (buckets > 0) {
                schema.option("bucket-key", "id");
            }
            catalog.createTable(Identifier.create("db", name), schema.build(), false);
            return (FileStoreTable) catalog.getTable(Identifier.create("db", name));
        }

        /** Commits the files as if they were there, and lets the coordinator look at the snapshot. */
        String unaware(FileStoreTable table) throws Exception {
            if (files.isEmpty()) {
                return "[]";
            }
            List<IndexFileMeta> stored = new ArrayList<>();
            indexes.forEach((index, names) -> {
                LinkedHashMap<String, DeletionVectorMeta> ranges = new LinkedHashMap<>();
                names.forEach(file -> ranges.put(file, new DeletionVectorMeta(file, 1, 20, deleted.get(file))));
                stored.add(new IndexFileMeta("DELETION_VECTORS", index, 100, ranges.size(), ranges, null));
            });
            DataIncrement increment = new DataIncrement(
                    files, Collections.emptyList(), Collections.emptyList(), stored, Collections.emptyList());
            try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
                commit.commit(Collections.singletonList(new CommitMessageImpl(
                        BinaryRow.EMPTY_ROW, 0, -1, increment, CompactIncrement.emptyIncrement())));
            }
            List<AppendCompactTask> tasks = new ArrayList<>();
            try {
                tasks = new AppendCompactCoordinator(table, false).run();
            } catch (RuntimeException end) {
                if (!end.getClass().getSimpleName().equals("EndOfScanException")) {
                    throw end;
                }
            }
            return array(tasks, task -> names(task.compactBefore()));
        }

        String bucketed(FileStoreTable table, ExecutorService executor, boolean full) throws Exception {
            BucketedDvMaintainer maintainer = null;
            if (table.coreOptions().deletionVectorsEnabled()) {
                Map<String, DeletionVector> vectors = new HashMap<>();
                deleted.keySet().forEach(file -> {
                    DeletionVector vector = new BitmapDeletionVector();
                    vector.delete(1);
                    vectors.put(file, vector);
                });
                maintainer = BucketedDvMaintainer.factory(table.store().newIndexFileHandler())
                        .create(BinaryRow.EMPTY_ROW, 0, vectors);
            }
            List<List<DataFileMeta>> picked = new ArrayList<>();
            BucketedAppendCompactManager manager = new BucketedAppendCompactManager(
                    executor, files, maintainer, table.coreOptions().compactionMinFileNum(),
                    table.coreOptions().targetFileSize(false), table.coreOptions().compactionFileSize(false),
                    table.coreOptions().forceRewriteAllFiles(),
                    before -> {
                        picked.add(new ArrayList<>(before));
                        return Collections.emptyList();
                    },
                    null);
            manager.triggerCompaction(full);
            manager.getCompactionResult(true);
            return picked.isEmpty() ? "[]" : names(picked.get(0));
        }
    }

    private static DataFileMeta file(String name, long size, long sequence) {
        return DataFileMeta.create(
                name, size, ROWS, BinaryRow.EMPTY_ROW, BinaryRow.EMPTY_ROW, SimpleStats.EMPTY_STATS,
                SimpleStats.EMPTY_STATS, sequence, sequence + 9, 0L, 0, Collections.emptyList(),
                Timestamp.fromEpochMillis(0), 0L, null, FileSource.APPEND, Arrays.asList(), null, null, null);
    }

    private static String names(List<DataFileMeta> files) {
        return array(files, file -> "\"" + file.fileName() + "\"");
    }

    private static <T> String array(List<T> values, java.util.function.Function<T, String> text) {
        return values.stream().map(text).collect(Collectors.joining(",", "[", "]"));
    }
}
