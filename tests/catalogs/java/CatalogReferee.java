import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Database;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.catalog.PropertyChange;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.function.FunctionDefinition;
import org.apache.paimon.function.FunctionImpl;
import org.apache.paimon.hive.HiveCatalog;
import org.apache.paimon.hive.migrate.HiveMigrator;
import org.apache.paimon.options.Options;
import org.apache.paimon.partition.Partition;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.view.View;
import org.apache.paimon.view.ViewImpl;

/**
 * Java's own catalogs behind a pipe: one JSON request per line on the standard input, one JSON answer per line on the standard
 * output. A request has the options of its catalog, a step and the arguments of the step.
 */
public final class CatalogReferee {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Map<Map<String, String>, Catalog> CATALOGS = new HashMap<>();
    private static IOManager spill;

    private CatalogReferee() {}

    public static void main(String[] args) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, "UTF-8");
        System.setOut(System.err); // whatever the library prints must not mix with the answers
        spill = IOManager.create(args[0]);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            ObjectNode answer = JSON.objectNode();
            try {
                JsonNode request = MAPPER.readTree(line);
                answer.set("result", MAPPER.valueToTree(perform(catalog(request), request)));
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

    private static Catalog catalog(JsonNode request) {
        return CATALOGS.computeIfAbsent(
                texts(request.get("catalog")),
                options ->
                        CatalogFactory.createCatalog(
                                CatalogContext.create(Options.fromMap(options)), CatalogReferee.class.getClassLoader()));
    }

    private static Object perform(Catalog catalog, JsonNode request) throws Exception {
        String step = request.get("step").asText();
        switch (step) {
            case "listDatabases":
                return sorted(catalog.listDatabases());
            case "createDatabase":
                catalog.createDatabase(text(request, "database"), false, texts(request.get("options")));
                return null;
            case "getDatabase":
                return described(catalog.getDatabase(text(request, "database")));
            case "alterDatabase":
                catalog.alterDatabase(text(request, "database"), propertyChanges(request.get("properties")), false);
                return null;
            case "dropDatabase":
                catalog.dropDatabase(text(request, "database"), false, request.path("cascade").asBoolean(false));
                return null;
            case "listTables":
                return sorted(catalog.listTables(text(request, "database")));
            case "createTable":
                catalog.createTable(name(request), schema(request), false);
                return null;
            case "getTable":
                return described(table(catalog, request));
            case "alterTable":
                catalog.alterTable(name(request), changes(request.get("changes")), false);
                return null;
            case "renameTable":
                catalog.renameTable(name(request), Identifier.fromString(text(request, "to")), false);
                return null;
            case "dropTable":
                catalog.dropTable(name(request), false);
                return null;
            default:
                return performOnContents(catalog, request, step);
        }
    }

    private static Object performOnContents(Catalog catalog, JsonNode request, String step) throws Exception {
        switch (step) {
            case "write":
                write(table(catalog, request), request.get("rows"));
                return null;
            case "commits":
                return commits(catalog, request);
            case "read":
                return read(table(catalog, request), request.get("options"));
            case "compact":
                compact(table(catalog, request));
                return null;
            case "snapshots":
                return snapshots(table(catalog, request));
            case "createTag":
                table(catalog, request).createTag(text(request, "tag"), request.get("snapshot").asLong());
                return null;
            case "replaceTag":
                table(catalog, request).replaceTag(text(request, "tag"), request.get("snapshot").asLong(), null);
                return null;
            case "renameTag":
                table(catalog, request).renameTag(text(request, "tag"), text(request, "to"));
                return null;
            case "deleteTag":
                table(catalog, request).deleteTag(text(request, "tag"));
                return null;
            case "listTags":
                return sorted(table(catalog, request).tagManager().allTagNames());
            case "createBranch":
                createBranch(whole(catalog, request), request);
                return null;
            case "listBranches":
                return sorted(table(catalog, request).branchManager().branches());
            case "fastForward":
                whole(catalog, request).fastForward(text(request, "branch"));
                return null;
            case "dropBranch":
                whole(catalog, request).deleteBranch(text(request, "branch"));
                return null;
            case "rollback":
                table(catalog, request).rollbackTo(request.get("snapshot").asLong());
                return null;
            default:
                return performOnOthers(catalog, request, step);
        }
    }

    private static Object performOnOthers(Catalog catalog, JsonNode request, String step) throws Exception {
        switch (step) {
            case "listPartitions":
                return partitions(catalog.listPartitions(name(request)));
            case "createPartitions":
                catalog.createPartitions(name(request), specs(request.get("partitions")));
                return null;
            case "dropPartitions":
                catalog.dropPartitions(name(request), specs(request.get("partitions")));
                return null;
            case "markDone":
                catalog.markDonePartitions(name(request), specs(request.get("partitions")));
                return null;
            case "listViews":
                return sorted(catalog.listViews(text(request, "database")));
            case "createView":
                catalog.createView(name(request), view(request), false);
                return null;
            case "getView":
                return described(catalog.getView(name(request)));
            case "renameView":
                catalog.renameView(name(request), Identifier.fromString(text(request, "to")), false);
                return null;
            case "dropView":
                catalog.dropView(name(request), false);
                return null;
            case "migrate":
                migrate((HiveCatalog) catalog, name(request), texts(request.get("options")));
                return null;
            case "listFunctions":
                return sorted(catalog.listFunctions(text(request, "database")));
            case "createFunction":
                createFunction(catalog, request);
                return null;
            default:
                throw new IllegalArgumentException("There is no step " + step + ".");
        }
    }

    // --- requests ---

    private static String text(JsonNode request, String key) {
        return request.get(key).asText();
    }

    private static Map<String, String> texts(JsonNode object) {
        Map<String, String> result = new LinkedHashMap<>();
        if (object != null) {
            object.fields().forEachRemaining(entry -> result.put(entry.getKey(), entry.getValue().asText()));
        }
        return result;
    }

    private static List<String> names(JsonNode array) {
        List<String> result = new ArrayList<>();
        if (array != null) {
            array.forEach(each -> result.add(each.asText()));
        }
        return result;
    }

    private static List<Map<String, String>> specs(JsonNode array) {
        List<Map<String, String>> result = new ArrayList<>();
        array.forEach(each -> result.add(texts(each)));
        return result;
    }

    private static Identifier name(JsonNode request) {
        return Identifier.fromString(text(request, "table"));
    }

    private static FileStoreTable table(Catalog catalog, JsonNode request) throws Exception {
        Identifier name = name(request);
        if (request.hasNonNull("branch")) {
            name = new Identifier(name.getDatabaseName(), name.getTableName(), request.get("branch").asText());
        }
        return (FileStoreTable) catalog.getTable(name);
    }

    /** The table itself, for steps whose branch is an argument. */
    private static FileStoreTable whole(Catalog catalog, JsonNode request) throws Exception {
        return (FileStoreTable) catalog.getTable(name(request));
    }

    private static List<DataField> fields(JsonNode columns) {
        List<DataField> result = new ArrayList<>();
        for (JsonNode each : columns) {
            DataType type = DataTypeJsonParser.parseDataType(each.get(1));
            result.add(new DataField(result.size(), each.get(0).asText(), type, each.has(2) ? each.get(2).asText() : null));
        }
        return result;
    }

    private static Schema schema(JsonNode request) {
        Schema.Builder builder = Schema.newBuilder();
        for (DataField each : fields(request.get("columns"))) {
            builder.column(each.name(), each.type(), each.description());
        }
        builder.primaryKey(names(request.get("primary_key"))).partitionKeys(names(request.get("partition_by")));
        builder.options(texts(request.get("options")));
        return request.hasNonNull("comment") ? builder.comment(text(request, "comment")).build() : builder.build();
    }

    private static List<SchemaChange> changes(JsonNode list) {
        List<SchemaChange> result = new ArrayList<>();
        for (JsonNode each : list) {
            String kind = each.get(0).asText();
            String first = each.path(1).asText();
            switch (kind) {
                case "add":
                    DataType type = DataTypeJsonParser.parseDataType(each.get(2));
                    result.add(SchemaChange.addColumn(first, type, each.has(3) ? each.get(3).asText() : null));
                    break;
                case "drop":
                    result.add(SchemaChange.dropColumn(first));
                    break;
                case "rename":
                    result.add(SchemaChange.renameColumn(first, each.get(2).asText()));
                    break;
                case "type":
                    result.add(SchemaChange.updateColumnType(first, DataTypeJsonParser.parseDataType(each.get(2))));
                    break;
                case "columnComment":
                    result.add(SchemaChange.updateColumnComment(first, each.get(2).asText()));
                    break;
                case "first":
                    result.add(SchemaChange.updateColumnPosition(SchemaChange.Move.first(first)));
                    break;
                case "last":
                    result.add(SchemaChange.updateColumnPosition(SchemaChange.Move.last(first)));
                    break;
                case "set":
                    result.add(SchemaChange.setOption(first, each.get(2).asText()));
                    break;
                case "remove":
                    result.add(SchemaChange.removeOption(first));
                    break;
                case "comment":
                    result.add(SchemaChange.updateComment(first));
                    break;
                default:
                    throw new IllegalArgumentException("There is no change " + kind + ".");
            }
        }
        return result;
    }

    private static List<PropertyChange> propertyChanges(JsonNode properties) {
        List<PropertyChange> result = new ArrayList<>();
        Iterator<Map.Entry<String, JsonNode>> entries = properties.fields();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            result.add(
                    entry.getValue().isNull()
                            ? PropertyChange.removeProperty(entry.getKey())
                            : PropertyChange.setProperty(entry.getKey(), entry.getValue().asText()));
        }
        return result;
    }

    private static View view(JsonNode request) {
        return new ViewImpl(
                name(request),
                fields(request.get("columns")),
                text(request, "query"),
                texts(request.get("dialects")),
                request.hasNonNull("comment") ? text(request, "comment") : null,
                texts(request.get("options")));
    }

    /** What the procedure migrate_table of Spark does without a target. */
    private static void migrate(HiveCatalog catalog, Identifier name, Map<String, String> options) throws Exception {
        String database = name.getDatabaseName();
        String table = name.getTableName();
        HiveMigrator migrator = new HiveMigrator(catalog, database, table, database, table + "_paimon_", 2, options);
        migrator.executeMigrate();
        migrator.renameTable(false);
    }

    private static void createFunction(Catalog catalog, JsonNode request) throws Exception {
        Identifier name = name(request);
        Map<String, FunctionDefinition> definitions =
                Collections.singletonMap(text(request, "dialect"), FunctionDefinition.sql(text(request, "definition")));
        catalog.createFunction(
                name,
                new FunctionImpl(
                        name,
                        fields(request.get("inputs")),
                        fields(request.get("outputs")),
                        true,
                        definitions,
                        request.path("comment").asText(),
                        texts(request.get("options"))),
                false);
    }

    private static void createBranch(FileStoreTable table, JsonNode request) {
        if (request.hasNonNull("tag")) {
            table.createBranch(text(request, "branch"), text(request, "tag"));
        } else {
            table.createBranch(text(request, "branch"));
        }
    }

    // --- rows ---

    private static void write(Table table, JsonNode rows) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = (BatchTableWrite) builder.newWrite().withIOManager(spill);
                BatchTableCommit commit = builder.newCommit()) {
            for (JsonNode row : rows) {
                GenericRow values = new GenericRow(row.size());
                for (int i = 0; i < row.size(); i++) {
                    values.setField(i, value(row.get(i), table.rowType().getTypeAt(i)));
                }
                write.write(values);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /** Writes one row in each of many commits: a number that counts, and the rest. Returns the number of commits. */
    private static int commits(Catalog catalog, JsonNode request) throws Exception {
        int first = request.get("first").asInt();
        int count = request.get("count").asInt();
        for (int i = first; i < first + count; i++) {
            ArrayNode row = JSON.arrayNode().add(i).addAll((ArrayNode) request.get("rest"));
            write(table(catalog, request), JSON.arrayNode().add(row));
        }
        return count;
    }

    private static void compact(FileStoreTable table) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = (BatchTableWrite) builder.newWrite().withIOManager(spill);
                BatchTableCommit commit = builder.newCommit()) {
            for (org.apache.paimon.manifest.BucketEntry each : table.newSnapshotReader().bucketEntries()) {
                write.compact(each.partition(), each.bucket(), true);
            }
            commit.commit(write.prepareCommit());
        }
    }

    private static Object value(JsonNode node, DataType type) {
        if (node.isNull()) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BIGINT:
                return node.asLong();
            case INTEGER:
                return node.asInt();
            case DOUBLE:
                return node.asDouble();
            case BOOLEAN:
                return node.asBoolean();
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(node.asText());
            case DECIMAL:
                DecimalType decimal = (DecimalType) type;
                return Decimal.fromBigDecimal(
                        new java.math.BigDecimal(node.asText()), decimal.getPrecision(), decimal.getScale());
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return Timestamp.fromEpochMillis(node.asLong());
            default:
                throw new IllegalArgumentException("Values of type " + type + " are not written by this referee.");
        }
    }

    private static List<List<String>> read(FileStoreTable table, JsonNode options) throws Exception {
        Table read = options == null ? table : table.copy(texts(options));
        List<List<String>> result = new ArrayList<>();
        ReadBuilder builder = read.newReadBuilder();
        try (RecordReader<InternalRow> reader =
                builder.newRead().withIOManager(spill).createReader(builder.newScan().plan())) {
            int width = read.rowType().getFieldCount();
            InternalRow.FieldGetter[] getters = new InternalRow.FieldGetter[width];
            for (int i = 0; i < width; i++) {
                getters[i] = InternalRow.createFieldGetter(read.rowType().getTypeAt(i), i);
            }
            reader.forEachRemaining(
                    row -> {
                        List<String> texts = new ArrayList<>();
                        for (InternalRow.FieldGetter getter : getters) {
                            Object value = getter.getFieldOrNull(row);
                            texts.add(value == null ? null : value.toString());
                        }
                        result.add(texts);
                    });
        }
        result.sort((a, b) -> a.toString().compareTo(b.toString()));
        return result;
    }

    // --- answers ---

    private static List<String> sorted(List<String> names) {
        List<String> result = new ArrayList<>(names);
        Collections.sort(result);
        return result;
    }

    private static Map<String, Object> described(Database database) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("name", database.name());
        result.put("options", new TreeMap<>(database.options()));
        result.put("comment", database.comment().orElse(null));
        return result;
    }

    private static Map<String, Object> described(FileStoreTable table) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("columns", columns(table.rowType().getFields()));
        result.put("primary_key", table.primaryKeys());
        result.put("partition_by", table.partitionKeys());
        result.put("options", new TreeMap<>(table.schema().options()));
        result.put("comment", table.comment().orElse(null));
        result.put("location", table.location().toString());
        result.put("schema_id", table.schema().id());
        return result;
    }

    private static Map<String, Object> described(View view) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("columns", columns(view.rowType().getFields()));
        result.put("query", view.query());
        result.put("dialects", view.dialects());
        result.put("comment", view.comment().orElse(null));
        result.put("options", new TreeMap<>(view.options()));
        return result;
    }

    private static List<List<String>> columns(List<DataField> fields) {
        List<List<String>> result = new ArrayList<>();
        for (DataField each : fields) {
            List<String> column = new ArrayList<>();
            column.add(each.name());
            column.add(each.type().asSQLString());
            column.add(each.description());
            result.add(column);
        }
        return result;
    }

    private static List<Map<String, Object>> snapshots(FileStoreTable table) throws Exception {
        List<Map<String, Object>> result = new ArrayList<>();
        table.snapshotManager()
                .snapshots()
                .forEachRemaining(
                        each -> {
                            Map<String, Object> snapshot = new LinkedHashMap<>();
                            snapshot.put("id", each.id());
                            snapshot.put("kind", each.commitKind().toString());
                            snapshot.put("user", each.commitUser());
                            snapshot.put("rows", each.totalRecordCount());
                            result.add(snapshot);
                        });
        result.sort((a, b) -> Long.compare((Long) a.get("id"), (Long) b.get("id")));
        return result;
    }

    private static List<Map<String, Object>> partitions(List<Partition> list) {
        List<Map<String, Object>> result = new ArrayList<>();
        for (Partition each : list) {
            Map<String, Object> partition = new LinkedHashMap<>();
            partition.put("spec", each.spec());
            partition.put("rows", each.recordCount());
            partition.put("files", each.fileCount());
            partition.put("done", each.done());
            result.add(partition);
        }
        result.sort((a, b) -> a.get("spec").toString().compareTo(b.get("spec").toString()));
        return result;
    }
}
