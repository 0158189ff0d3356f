import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;

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
                Reads.read(table(request), spill, request, answer);
                break;
            case "aggregate":
                Reads.aggregate(table(request), spill, request, answer);
                break;
            case "write":
                Writes.write(table(request), spill, request, answer);
                break;
            case "compact":
                Writes.compact(table(request), spill, answer);
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

    // ---- maintenance ----

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

    static void latest(Table table, ObjectNode answer) {
        answer.put("snapshot", ((FileStoreTable) table).snapshotManager().latestSnapshotId());
    }

    static List<String> texts(JsonNode nodes) {
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
