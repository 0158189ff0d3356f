import java.io.BufferedWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.StreamTableScan;

/** What a streaming read of a table gives up to its newest snapshot; options of the table say where it begins. */
final class Streams {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Streams() {}

    static void follow(FileStoreTable table, Path out) throws Exception {
        ReadBuilder builder = table.newReadBuilder();
        StreamTableScan scan = builder.newStreamScan();
        long newest = table.snapshotManager().latestSnapshotId();
        try (BufferedWriter writer = Files.newBufferedWriter(out, StandardCharsets.UTF_8)) {
            while (scan.checkpoint() == null || scan.checkpoint() <= newest) {
                try (RecordReaderIterator<InternalRow> rows =
                        new RecordReaderIterator<>(builder.newRead().createReader(scan.plan()))) {
                    while (rows.hasNext()) {
                        InternalRow row = rows.next();
                        ArrayNode line = JsonNodeFactory.instance.arrayNode().add(row.getRowKind().shortString());
                        writer.write(MAPPER.writeValueAsString(line.addAll(Values.fields(table.rowType(), row))));
                        writer.write('\n');
                    }
                }
            }
        }
    }
}
