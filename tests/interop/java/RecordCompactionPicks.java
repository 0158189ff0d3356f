import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.paimon.compact.CompactResult;
import org.apache.paimon.compact.CompactUnit;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.mergetree.LevelSortedRun;
import org.apache.paimon.mergetree.Levels;
import org.apache.paimon.mergetree.SortedRun;
import org.apache.paimon.mergetree.compact.CompactRewriter;
import org.apache.paimon.mergetree.compact.CompactStrategy;
import org.apache.paimon.mergetree.compact.EarlyFullCompaction;
import org.apache.paimon.mergetree.compact.ForceUpLevel0Compaction;
import org.apache.paimon.mergetree.compact.IntervalPartition;
import org.apache.paimon.mergetree.compact.MergeTreeCompactManager;
import org.apache.paimon.mergetree.compact.OffPeakHours;
import org.apache.paimon.mergetree.compact.UniversalCompaction;
import org.apache.paimon.stats.SimpleStats;

/**
 * Records what Java Paimon's own compaction classes do with generated buckets, one JSON object per line.
 *
 * <p>Run with the number of cases and a seed; the class path needs a Paimon bundle, Hadoop's client and slf4j:
 * {@code java -cp ... RecordCompactionPicks.java 400 7 > universal_compaction.jsonl}. The recorded cases are read by
 * tests/unit/lsm.
 */
public class RecordCompactionPicks {

    private static final Comparator<InternalRow> BY_KEY = Comparator.comparingInt(row -> row.getInt(0));

    public static void main(String[] arguments) throws Exception {
        int cases = Integer.parseInt(arguments[0]);
        Random random = new Random(Long.parseLong(arguments[1]));
        ExecutorService executor = Executors.newSingleThreadExecutor();
        for (int i = 0; i < cases; i++) {
            System.out.println(new Case(random).record(executor));
        }
        executor.shutdown();
    }

    /** COARSE sizes and options often meet a limit exactly. */
    private enum Sizes {
        SIMILAR,
        COARSE,
        WILD
    }

    /** One bucket and the options of its table. */
    private static final class Case {
        final Random random;
        final Sizes sizes;
        final int trigger;
        final int amplification;
        final int ratio;
        final int numLevels;
        final Long interval;
        final Long elapsed;
        final Long totalThreshold;
        final Long incrementalThreshold;
        final int offPeakRatio;
        final long minFileSize;
        final int keySpace;
        final List<DataFileMeta> files = new ArrayList<>();

        Case(Random random) {
            this.random = random;
            trigger = 2 + random.nextInt(5);
            sizes = Sizes.values()[random.nextInt(Sizes.values().length)];
            amplification = sizes == Sizes.COARSE ? 50 * (1 + random.nextInt(6)) : 50 + random.nextInt(251);
            ratio = sizes == Sizes.COARSE ? 10 * random.nextInt(6) : random.nextInt(51);
            numLevels = 3 + random.nextInt(4);
            interval = random.nextInt(12) == 0 ? 3_600_000L : null;
            elapsed = random.nextInt(4) == 0 ? null : 600_000L * random.nextInt(13) + 60_000L;
            totalThreshold = random.nextInt(12) == 0 ? 10_000L * random.nextInt(200) : null;
            incrementalThreshold = random.nextInt(12) == 0 ? 10_000L * random.nextInt(200) : null;
            offPeakRatio = random.nextInt(5) == 0 ? random.nextInt(100) : 0;
            minFileSize = sizes == Sizes.COARSE ? 10_000L * random.nextInt(13) : random.nextInt(300_000);
            keySpace = random.nextBoolean() ? 1_000_000 : 40;
            fill();
            Collections.shuffle(files, random);
        }

        void fill() {
            long sequence = 0;
            boolean tall = random.nextInt(4) > 0;
            for (int level = numLevels - 1; level > 0; level--) {
                if (random.nextInt(3) == 0) {
                    continue;
                }
                int key = 0;
                int count = 1 + random.nextInt(3);
                long growth = tall ? 1L << (2 * level) : 1;
                for (int i = 0; i < count; i++) {
                    int min = key + random.nextInt(keySpace / count);
                    int max = min + random.nextInt(keySpace / count);
                    add(level, growth * size(), min, max, sequence, sequence + 9);
                    key = max + 1;
                }
                sequence += 10;
            }
            int flushes = random.nextInt(9);
            for (int i = 0; i < flushes; i++) {
                int min = random.nextInt(keySpace);
                add(0, size(), min, min + random.nextInt(keySpace), sequence, sequence + 4);
                sequence += random.nextInt(4) == 0 ? 0 : 5;
            }
        }

        long size() {
            switch (sizes) {
                case SIMILAR:
                    return 100_000 + random.nextInt(50_000);
                case COARSE:
                    return 10_000L * (1 + random.nextInt(12));
                default:
                    return (1L << random.nextInt(21)) + random.nextInt(1000);
            }
        }

        void add(int level, long size, int min, int max, long minSequence, long maxSequence) {
            Long deletes = random.nextInt(4) == 0 ? null : (long) random.nextInt(2);
            long created = 1_700_000_000_000L + random.nextInt(3);
            String name = "f" + files.size();
            files.add(file(name, level, size, min, max, minSequence, maxSequence, created, deletes));
        }

        UniversalCompaction universal() {
            Long lastFull = elapsed == null ? null : Long.valueOf(System.currentTimeMillis() - elapsed);
            EarlyFullCompaction early =
                    interval == null && totalThreshold == null && incrementalThreshold == null
                            ? null
                            : new EarlyFullCompaction(interval, totalThreshold, incrementalThreshold, lastFull);
            OffPeakHours offPeak = offPeakRatio == 0 ? null : OffPeakHours.create(0, 24, offPeakRatio);
            return new UniversalCompaction(amplification, ratio, trigger, early, offPeak);
        }

        String record(ExecutorService executor) throws Exception {
            Levels levels = new Levels(BY_KEY, files, numLevels);
            List<LevelSortedRun> runs = levels.levelSortedRuns();
            Optional<CompactUnit> pick = universal().pick(levels.numberOfLevels(), runs);
            Optional<CompactUnit> forced =
                    new ForceUpLevel0Compaction(universal(), null).pick(levels.numberOfLevels(), runs);
            Optional<CompactUnit> full =
                    CompactStrategy.pickFullCompaction(levels.numberOfLevels(), runs, null, null, false);
            List<String> fields = new ArrayList<>();
            fields.add("\"options\":" + options());
            fields.add("\"min_file_size\":" + minFileSize);
            fields.add("\"files\":" + array(files, RecordCompactionPicks::describe));
            fields.add("\"runs\":" + array(runs, run -> "[" + run.level() + "," + names(run.run().files()) + "]"));
            fields.add("\"num_sorted_runs\":" + levels.numberOfSortedRuns());
            fields.add("\"highest_non_empty_level\":" + levels.nonEmptyHighestLevel());
            fields.add("\"total_size\":" + levels.totalFileSize());
            fields.add("\"sections\":" + sections(new IntervalPartition(files, BY_KEY).partition()));
            fields.add("\"pick\":" + unit(pick));
            fields.add("\"force_up_level_0\":" + unit(forced));
            fields.add("\"full\":" + unit(full));
            fields.add("\"compaction\":" + steps(executor, false));
            fields.add("\"full_compaction\":" + steps(executor, true));
            return "{" + String.join(",", fields) + "}";
        }

        String options() {
            return String.format(
                    "{\"num_sorted_run_compaction_trigger\":%d,\"max_size_amplification_percent\":%d,\"size_ratio\":%d,"
                            + "\"num_levels\":%d,\"optimization_interval\":%d,\"elapsed_millis\":%d,"
                            + "\"total_size_threshold\":%d,\"incremental_size_threshold\":%d,\"offpeak_ratio\":%d}",
                    trigger, amplification, ratio, numLevels, interval, elapsed, totalThreshold, incrementalThreshold,
                    offPeakRatio);
        }

        /** Lets the whole compaction manager work on a copy of the bucket, and notes what it asks its rewriter for. */
        String steps(ExecutorService executor, boolean full) throws Exception {
            Rewriter rewriter = new Rewriter();
            MergeTreeCompactManager manager =
                    new MergeTreeCompactManager(
                            executor, new Levels(BY_KEY, files, numLevels), universal(), BY_KEY, minFileSize,
                            trigger + 3, rewriter, null, null, false, false, null, false, false, "bucket");
            manager.triggerCompaction(full);
            manager.getCompactionResult(true);
            List<DataFileMeta> after = manager.levels().allFiles();
            String left = array(after, file -> "[\"" + file.fileName() + "\"," + file.level() + "]");
            return "{\"steps\":[" + String.join(",", rewriter.steps) + "],\"after\":" + left + "}";
        }
    }

    /** Notes what it is told, and answers as if every section gave one file with all its bytes. */
    private static final class Rewriter implements CompactRewriter {
        final List<String> steps = new ArrayList<>();

        @Override
        public CompactResult rewrite(int outputLevel, boolean dropDelete, List<List<SortedRun>> sections) {
            List<DataFileMeta> before = new ArrayList<>();
            List<DataFileMeta> after = new ArrayList<>();
            for (List<SortedRun> section : sections) {
                List<DataFileMeta> inputs = new ArrayList<>();
                section.forEach(run -> inputs.addAll(run.files()));
                before.addAll(inputs);
                int min = inputs.stream().mapToInt(file -> file.minKey().getInt(0)).min().getAsInt();
                int max = inputs.stream().mapToInt(file -> file.maxKey().getInt(0)).max().getAsInt();
                long size = inputs.stream().mapToLong(DataFileMeta::fileSize).sum();
                String name = inputs.stream().map(DataFileMeta::fileName).sorted().collect(Collectors.joining("+"));
                after.add(file(name, outputLevel, size, min, max, 0, 0, 0, 0L));
            }
            steps.add("[\"rewrite\"," + outputLevel + "," + dropDelete + "," + sections(sections) + "]");
            return new CompactResult(before, after);
        }

        @Override
        public CompactResult upgrade(int outputLevel, DataFileMeta file) {
            steps.add("[\"upgrade\"," + outputLevel + ",\"" + file.fileName() + "\"]");
            return new CompactResult(file, file.upgrade(outputLevel));
        }

        @Override
        public void close() {}
    }

    private static DataFileMeta file(
            String name, int level, long size, int min, int max, long minSequence, long maxSequence, long created,
            Long deletes) {
        return DataFileMeta.create(
                name, size, 10L, BinaryRow.singleColumn(min), BinaryRow.singleColumn(max), SimpleStats.EMPTY_STATS,
                SimpleStats.EMPTY_STATS, minSequence, maxSequence, 0L, level, Collections.emptyList(),
                Timestamp.fromEpochMillis(created), deletes, null, FileSource.APPEND, null, null, null, null);
    }

    /** Name, level, size, keys, sequences, creation time, deletes. */
    private static String describe(DataFileMeta file) {
        return String.format(
                "[\"%s\",%d,%d,%d,%d,%d,%d,%d,%s]",
                file.fileName(), file.level(), file.fileSize(), file.minKey().getInt(0), file.maxKey().getInt(0),
                file.minSequenceNumber(), file.maxSequenceNumber(), file.creationTime().getMillisecond(),
                file.deleteRowCount().map(String::valueOf).orElse("null"));
    }

    private static String unit(Optional<CompactUnit> unit) {
        return unit.map(u -> "[" + u.outputLevel() + "," + names(u.files()) + "]").orElse("null");
    }

    private static String sections(List<List<SortedRun>> sections) {
        return array(sections, section -> array(section, run -> names(run.files())));
    }

    private static String names(List<DataFileMeta> files) {
        return array(files, file -> "\"" + file.fileName() + "\"");
    }

    private static <T> String array(List<T> values, java.util.function.Function<T, String> text) {
        return values.stream().map(text).collect(Collectors.joining(",", "[", "]"));
    }
}
