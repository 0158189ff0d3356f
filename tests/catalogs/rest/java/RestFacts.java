import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.paimon.rest.RESTApi;
import org.apache.paimon.rest.ResourcePaths;
import org.apache.paimon.rest.auth.DLFDefaultSigner;
import org.apache.paimon.rest.auth.DLFOpenApiSigner;
import org.apache.paimon.rest.auth.DLFRequestSigner;
import org.apache.paimon.rest.auth.DLFToken;
import org.apache.paimon.rest.auth.RESTAuthParameter;
import org.apache.paimon.rest.requests.AlterTableRequest;
import org.apache.paimon.rest.requests.AlterViewRequest;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.view.ViewChange;

/** Prints, as JSON, what Java's own classes sign and write. */
public final class RestFacts {
    private static final Instant NOW = Instant.parse("2026-11-28T08:09:10Z");
    private static final DLFToken KEY = new DLFToken("the-id", "the-secret", "the-token", null);
    private static final DLFToken LASTING = new DLFToken("the-id", "the-secret", null, null);

    private RestFacts() {}

    public static void main(String[] args) throws Exception {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("path", new ResourcePaths("a b~c").table("sh op", "or~ders$branch_b*1"));
        facts.put("default", signed(new DLFDefaultSigner("cn-hangzhou"), KEY, "{\"a\":\"ä\"}"));
        facts.put("default get", signed(new DLFDefaultSigner("cn-hangzhou"), LASTING, ""));
        facts.put("openapi", signed(new DLFOpenApiSigner(), KEY, "{\"a\":\"ä\"}"));
        facts.put("changes", RESTApi.toJson(new AlterTableRequest(Arrays.asList(
                SchemaChange.addColumn("w", DataTypes.DOUBLE(), "new", SchemaChange.Move.first("w")),
                SchemaChange.addColumn(new String[] {"a", "b"}, DataTypes.ARRAY(DataTypes.INT()), null, null),
                SchemaChange.addColumn("x", DataTypes.INT(), null, SchemaChange.Move.after("x", "k")),
                SchemaChange.dropColumn("v"),
                SchemaChange.renameColumn(new String[] {"a", "b"}, "c"),
                SchemaChange.updateColumnType("k", DataTypes.BIGINT()),
                SchemaChange.updateColumnNullability("k", true),
                SchemaChange.updateColumnComment("k", "key"),
                SchemaChange.updateColumnComment("k", null),
                SchemaChange.updateColumnDefaultValue(new String[] {"k"}, "7"),
                SchemaChange.updateColumnPosition(SchemaChange.Move.after("k", "w")),
                SchemaChange.setOption("a", "1"),
                SchemaChange.removeOption("a"),
                SchemaChange.updateComment("text"),
                SchemaChange.updateComment(null)))));
        facts.put("view changes", RESTApi.toJson(new AlterViewRequest(Arrays.asList(
                ViewChange.addDialect("flink", "SELECT 1"),
                ViewChange.dropDialect("hive"),
                ViewChange.updateDialect("spark", "SELECT 2"),
                ViewChange.removeOption("a"),
                ViewChange.setOption("b", "2"),
                ViewChange.updateComment("text")))));
        System.out.println(RESTApi.toJson(facts));
    }

    private static Map<String, String> signed(DLFRequestSigner signer, DLFToken key, String body) throws Exception {
        Map<String, String> query = body.isEmpty() ? new HashMap<>() : Collections.emptyMap();
        if (body.isEmpty()) {
            query.put("tableNamePattern", "ord%");
            query.put("maxResults", "10");
        }
        RESTAuthParameter request =
                new RESTAuthParameter(
                        "/v1/p/databases/d/tables/t%24branch_b", query, body.isEmpty() ? "GET" : "POST", body);
        Map<String, String> headers = signer.signHeaders(body, NOW, key.getSecurityToken(), "dlf.example.com");
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put("Authorization", signer.authorization(request, key, "dlf.example.com", headers));
        return all;
    }
}
