import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeFamily;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/**
 * A real Java Paimon behind a pipe: one JSON request per line on the standard input, one JSON answer per line on the standard
 * output ({@code {"error": …}} when the request failed). Rows travel in files, one JSON array per line: the row kind, then the
 * values as {@link Values} writes them.
 */
public final class Referee {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Map<String, Catalog> CATALOGS = new HashMap<>();
    private static IOManager spill;

    private Referee() {}

    public static void main(String[] args) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, "UTF-8");
        System.setOut(System.err); // whatever the library prints must not mix with the answers
        spill = IOManager.create(args[0]);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            ObjectNode answer = JSON.objectNode();
            try {
                perform(MAPPER.readTree(line), answer);
            } catch (Throwable failure) {
                failure.printStackTrace();
                answer.put("error", story(failure));
            }
            answers.println(MAPPER.writeValueAsString(answer));
        }
        System.exit(0); // thread pools of the library would keep the process
    }

    private static String story(Throwable failure) {
        StringBuilder out = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            out.append(out.length() == 0 ? "" : " <- ").append(cause);
        }
        return out.toString();
    }

    private static void perform(JsonNode request, ObjectNode answer) throws Exception {
        switch (request.get("op").asText()) {
            case "list":
                answer.set("tables", MAPPER.valueToTree(catalog(request).listTables(request.get("database").asText())));
                break;
            case "create":
                create(request);
                break;
            case "alter":
                catalog(request).alterTable(identifier(request), changes(request.get("changes")), false);
                break;
            case "read":
                read(request, answer);
                break;
            case "aggregate":
                aggregate(request, answer);
                break;
            case "write":
                write(request, answer);
                break;
            case "compact":
                compact(request, answer);
                break;
            case "expire":
                expire(request, answer);
                break;
            case "erase":
                // Only compiled where the version has what it needs.
                Class.forName("Deletions")
                        .getMethod("erase", FileStoreTable.class, int.class, int.class)
                        .invoke(null, table(request), request.get("first").asInt(), request.get("step").asInt());
                latest(table(request), answer);
                break;
            case "assign":
                // Only compiled where the version has what it needs.
                Class.forName("Buckets")
                        .getMethod("write", FileStoreTable.class, Path.class, boolean.class, IOManager.class)
                        .invoke(
                                null,
                                table(request),
                                Paths.get(request.get("rows").asText()),
                                request.path("overwrite").asBoolean(false),
                                spill);
                latest(table(request), answer);
                break;
            case "truncate":
                // Only compiled where the version has what it needs.
                Class.forName("RowLevel")
                        .getMethod("truncate", FileStoreTable.class, JsonNode.class)
                        .invoke(null, table(request), request);
                latest(table(request), answer);
                break;
            case "waiting":
                // Only compiled where the version has what it needs.
                Class.forName("Buckets")
                        .getMethod("waiting", FileStoreTable.class, Path.class)
                        .invoke(null, table(request), Paths.get(request.get("out").asText()));
                break;
            case "evolve":
                // Only compiled where the version has what it needs.
                Class.forName("Evolution")
                        .getMethod("perform", FileStoreTable.class, JsonNode.class, ObjectNode.class)
                        .invoke(null, table(request), request, answer);
                break;
            case "commits":
                // Only compiled where the version has what it needs.
                Class.forName("Commits")
                        .getMethod("perform", FileStoreTable.class, JsonNode.class, ObjectNode.class)
                        .invoke(null, table(request), request, answer);
                break;
            case "maintain":
                Maintenance.perform((FileStoreTable) table(request), request);
                break;
            case "keep":
                // Only compiled where the version has what it needs.
                Class.forName("Keeping")
                        .getMethod("perform", FileStoreTable.class, JsonNode.class, ObjectNode.class)
                        .invoke(null, table(request), request, answer);
                break;
            case "casts":
                Casts.perform(Paths.get(request.get("requests").asText()), Paths.get(request.get("answers").asText()));
                break;
            case "follow":
                Streams.follow((FileStoreTable) table(request), Paths.get(request.get("out").asText()));
                break;
            case "tag":
                tag(request);
                break;
            case "branch":
                branch(request);
                break;
            case "schema":
                schema(request, answer);
                break;
            case "rollback":
                table(request).rollbackTo(request.get("snapshot").asLong());
                break;
            case "version":
                Versions.perform((FileStoreTable) table(request), request);
                break;
            default:
                throw new IllegalArgumentException("unknown operation " + request);
        }
    }

    // ---- catalog ----

    private static Catalog catalog(JsonNode request) {
        return CATALOGS.computeIfAbsent(request.get("warehouse").asText(), warehouse -> {
            Options options = new Options();
            options.set("warehouse", warehouse);
            options.set("cache-enabled", "false"); // others write the same tables
            return CatalogFactory.createCatalog(CatalogContext.create(options));
        });
    }

    private static Identifier identifier(JsonNode request) {
        return Identifier.fromString(request.get("table").asText());
    }

    private static Table table(JsonNode request) throws Exception {
        Table table = catalog(request).getTable(identifier(request));
        Map<String, String> options = textMap(request.get("options"));
        return options.isEmpty() ? table : table.copy(options);
    }

    private static void create(JsonNode request) throws Exception {
        Identifier identifier = identifier(request);
        catalog(request).createDatabase(identifier.getDatabaseName(), true);
        Schema.Builder schema = Schema.newBuilder();
        for (JsonNode column : request.get("columns")) {
            schema.column(column.get(0).asText(), type(column.get(1)));
        }
        schema.primaryKey(texts(request.get("primary_key")));
        schema.partitionKeys(texts(request.get("partition_by")));
        schema.options(textMap(request.get("options")));
        catalog(request).createTable(identifier, schema.build(), false);
    }

    private static List<SchemaChange> changes(JsonNode nodes) {
        List<SchemaChange> changes = new ArrayList<>();
        for (JsonNode node : nodes) {
            if (node.get(1).isArray()) {
                changes.add(Alterations.change(node));
                continue;
            }
            String subject = node.get(1).asText();
            switch (node.get(0).asText()) {
                case "add":
                    changes.add(SchemaChange.addColumn(subject, type(node.get(2))));
                    break;
                case "drop":
                    changes.add(SchemaChange.dropColumn(subject));
                    break;
                case "rename":
                    changes.add(SchemaChange.renameColumn(subject, node.get(2).asText()));
                    break;
                case "type":
                    changes.add(SchemaChange.updateColumnType(subject, type(node.get(2))));
                    break;
                case "set":
                    changes.add(SchemaChange.setOption(subject, node.get(2).asText()));
                    break;
                default:
                    throw new IllegalArgumentException("unknown change " + node);
            }
        }
        return changes;
    }

    private static DataType type(JsonNode node) {
        return DataTypeJsonParser.parseDataType(node);
    }

    private static void tag(JsonNode request) throws Exception {
        String name = request.get("tag").asText();
        long snapshot = request.get("snapshot").asLong();
        if (request.hasNonNull("retained")) {
            table(request).createTag(name, snapshot, Duration.parse(request.get("retained").asText()));
        } else {
            table(request).createTag(name, snapshot);
        }
    }

    private static void branch(JsonNode request) throws Exception {
        String name = request.get("branch").asText();
        if (request.hasNonNull("tag")) {
            table(request).createBranch(name, request.get("tag").asText());
        } else {
            table(request).createBranch(name);
        }
    }

    private static void schema(JsonNode request, ObjectNode answer) throws Exception {
        ArrayNode columns = answer.putArray("columns");
        for (DataField field : table(request).rowType().getFields()) {
            columns.addArray().add(field.name()).add(field.type().asSQLString());
        }
    }

    // ---- read ----

    private static ReadBuilder reader(Table table, JsonNode request) {
        RowType rowType = table.rowType();
        ReadBuilder builder = table.newReadBuilder();
        if (request.hasNonNull("filters")) {
            List<Predicate> predicates = new ArrayList<>();
            request.get("filters").forEach(node -> predicates.add(predicate(rowType, node)));
            builder.withFilter(predicates);
        }
        if (request.hasNonNull("columns")) {
            builder.withProjection(texts(request.get("columns")).stream().mapToInt(rowType::getFieldIndex).toArray());
        }
        return builder;
    }

    private static Predicate predicate(RowType rowType, JsonNode node) {
        PredicateBuilder builder = new PredicateBuilder(rowType);
        int field = builder.indexOf(node.get(0).asText());
        List<Object> literals = new ArrayList<>();
        node.get(2).forEach(literal -> literals.add(Values.read(rowType.getTypeAt(field), literal)));
        switch (node.get(1).asText()) {
            case "equal":
                return builder.equal(field, literals.get(0));
            case "greater_or_equal":
                return builder.greaterOrEqual(field, literals.get(0));
            case "less_than":
                return builder.lessThan(field, literals.get(0));
            case "between":
                return builder.between(field, literals.get(0), literals.get(1));
            case "in":
                return builder.in(field, literals);
            case "is_null":
                return builder.isNull(field);
            case "is_not_null":
                return builder.isNotNull(field);
            default:
                throw new IllegalArgumentException("unknown predicate " + node);
        }
    }

    private static RecordReaderIterator<InternalRow> rows(ReadBuilder builder) throws Exception {
        RecordReader<InternalRow> reader =
                builder.newRead().withIOManager(spill).executeFilter().createReader(builder.newScan().plan());
        return new RecordReaderIterator<>(reader);
    }

    private static void read(JsonNode request, ObjectNode answer) throws Exception {
        ReadBuilder builder = reader(table(request), request);
        RowType rowType = builder.readType();
        Path out = Paths.get(request.get("out").asText());
        long count = 0;
        try (RecordReaderIterator<InternalRow> rows = rows(builder);
                BufferedWriter writer = Files.newBufferedWriter(out, StandardCharsets.UTF_8)) {
            while (rows.hasNext()) {
                InternalRow row = rows.next();
                ArrayNode line = JSON.arrayNode().add(row.getRowKind().shortString());
                line.addAll(Values.fields(rowType, row));
                writer.write(MAPPER.writeValueAsString(line));
                writer.write('\n');
                count++;
            }
        }
        answer.put("rows", count);
        answer.set("columns", MAPPER.valueToTree(rowType.getFieldNames()));
        ArrayNode floats = answer.putArray("floats");
        for (DataField field : rowType.getFields()) {
            if (field.type().is(DataTypeFamily.APPROXIMATE_NUMERIC)) {
                floats.add(field.name());
            }
        }
    }

    private static void aggregate(JsonNode request, ObjectNode answer) throws Exception {
        ReadBuilder builder = reader(table(request), request);
        RowType rowType = builder.readType();
        BigDecimal[] sums = new BigDecimal[rowType.getFieldCount()];
        long count = 0;
        try (RecordReaderIterator<InternalRow> rows = rows(builder)) {
            while (rows.hasNext()) {
                ArrayNode values = Values.fields(rowType, rows.next());
                for (int i = 0; i < sums.length; i++) {
                    BigDecimal value = values.get(i).isNull() ? BigDecimal.ZERO : new BigDecimal(values.get(i).asText());
                    sums[i] = sums[i] == null ? value : sums[i].add(value);
                }
                count++;
            }
        }
        answer.put("rows", count);
        ObjectNode named = answer.putObject("sums");
        for (int i = 0; i < sums.length; i++) {
            named.put(rowType.getFieldNames().get(i), sums[i] == null ? null : sums[i].toPlainString());
        }
    }

    // ---- write ----

    private static void write(JsonNode request, ObjectNode answer) throws Exception {
        Table table = table(request);
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
        latest(table, answer);
    }

    static InternalRow row(RowType rowType, JsonNode line) {
        GenericRow row = new GenericRow(RowKind.fromShortString(line.get(0).asText()), rowType.getFieldCount());
        for (int i = 0; i < rowType.getFieldCount(); i++) {
            row.setField(i, Values.read(rowType.getTypeAt(i), line.get(i + 1)));
        }
        return row;
    }

    private static void compact(JsonNode request, ObjectNode answer) throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("write-only", "false");
        options.put("compaction.min.file-num", "2");
        FileStoreTable table = (FileStoreTable) table(request).copy(options);
        List<CommitMessage> messages =
                table.bucketMode() == BucketMode.BUCKET_UNAWARE ? compactUnaware(table) : compactBuckets(table);
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableCommit commit = builder.newCommit()) {
            commit.commit(messages);
        }
        answer.put("messages", messages.size());
        latest(table, answer);
    }

    private static List<CommitMessage> compactBuckets(FileStoreTable table) throws Exception {
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

    private static void expire(JsonNode request, ObjectNode answer) throws Exception {
        FileStoreTable table = (FileStoreTable) table(request);
        int retained = request.get("retain").asInt();
        ExpireConfig config = ExpireConfig.builder()
                .snapshotRetainMax(retained)
                .snapshotRetainMin(retained)
                .snapshotTimeRetain(Duration.ZERO)
                .changelogRetainMax(request.path("changelogs").asInt(retained))
                .changelogRetainMin(request.path("changelogs").asInt(retained))
                .changelogTimeRetain(Duration.ZERO)
                .build();
        answer.put("expired", table.newExpireSnapshots().config(config).expire());
    }

    // ---- JSON ----

    private static void latest(Table table, ObjectNode answer) {
        answer.put("snapshot", ((FileStoreTable) table).snapshotManager().latestSnapshotId());
    }

    private static List<String> texts(JsonNode nodes) {
        List<String> out = new ArrayList<>();
        if (nodes != null) {
            nodes.forEach(node -> out.add(node.asText()));
        }
        return out;
    }

    private static Map<String, String> textMap(JsonNode node) {
        Map<String, String> out = new HashMap<>();
        if (node != null) {
            node.fields().forEachRemaining(entry -> out.put(entry.getKey(), entry.getValue().asText()));
        }
        return out;
    }
}
