import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.source.DataSplit;

/** Marks rows of an append table as deleted, as the engines' DELETE does: the core alone has no call for it. */
public final class Deletions {
    private Deletions() {}

    /** Deletes every {@code step}-th row of every file, from row {@code first}, in one commit. */
    public static void erase(FileStoreTable table, int first, int step) throws Exception {
        Snapshot snapshot = table.latestSnapshot().get();
        IndexFileHandler handler = table.store().newIndexFileHandler();
        boolean unaware = table.bucketMode() == BucketMode.BUCKET_UNAWARE;
        Map<Map.Entry<BinaryRow, Integer>, List<DataFileMeta>> buckets = new LinkedHashMap<>();
        for (DataSplit split : table.newSnapshotReader().read().dataSplits()) {
            buckets.computeIfAbsent(Map.entry(split.partition(), split.bucket()), key -> new ArrayList<>())
                    .addAll(split.dataFiles());
        }
        List<CommitMessage> messages = new ArrayList<>();
        for (Map.Entry<Map.Entry<BinaryRow, Integer>, List<DataFileMeta>> bucket : buckets.entrySet()) {
            BinaryRow partition = bucket.getKey().getKey();
            int number = bucket.getKey().getValue();
            BaseAppendDeleteFileMaintainer maintainer = unaware
                    ? BaseAppendDeleteFileMaintainer.forUnawareAppend(handler, snapshot, partition)
                    : BaseAppendDeleteFileMaintainer.forBucketedAppend(handler, snapshot, partition, number);
            for (DataFileMeta file : bucket.getValue()) {
                DeletionVector vector = table.coreOptions().deletionVectorBitmap64()
                        ? new Bitmap64DeletionVector()
                        : new BitmapDeletionVector();
                for (long row = first; row < file.rowCount(); row += step) {
                    vector.delete(row);
                }
                if (!vector.isEmpty()) {
                    maintainer.notifyNewDeletionVector(file.fileName(), vector);
                }
            }
            messages.add(message(maintainer, table.coreOptions().bucket()));
        }
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(messages);
        }
    }

    static CommitMessage message(BaseAppendDeleteFileMaintainer maintainer, int buckets) {
        List<IndexFileMeta> added = new ArrayList<>();
        List<IndexFileMeta> removed = new ArrayList<>();
        for (IndexManifestEntry entry : maintainer.persist()) {
            (entry.kind() == FileKind.ADD ? added : removed).add(entry.indexFile());
        }
        DataIncrement increment = new DataIncrement(
                Collections.emptyList(), Collections.emptyList(), Collections.emptyList(), added, removed);
        return new CommitMessageImpl(
                maintainer.getPartition(), maintainer.getBucket(), buckets, increment, CompactIncrement.emptyIncrement());
    }
}
