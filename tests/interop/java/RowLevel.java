import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;

/** Drops partitions and empties tables: what Spark's DELETE becomes where metadata is enough. */
public final class RowLevel {
    private RowLevel() {}

    /** Drops the partitions of the request; without any, empties the table. */
    public static void truncate(FileStoreTable table, JsonNode request) throws Exception {
        List<Map<String, String>> partitions = new ArrayList<>();
        for (JsonNode partition : request.path("partitions")) {
            Map<String, String> values = new LinkedHashMap<>();
            partition.fields().forEachRemaining(each -> values.put(each.getKey(), each.getValue().asText()));
            partitions.add(values);
        }
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            if (partitions.isEmpty()) {
                commit.truncateTable();
            } else {
                commit.truncatePartitions(partitions);
            }
        }
    }
}
