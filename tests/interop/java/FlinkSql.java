import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.apache.flink.client.program.StreamContextEnvironment;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.DefaultExecutorServiceLoader;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Flink SQL behind a pipe: one JSON request per line, {@code {"sql": …, "limit": rows or -1}}, one JSON answer per line. A row is
 * an array: the row kind, then each value as {@link FlinkValues} writes it. The argument is {@code batch} or {@code streaming}.
 */
public final class FlinkSql {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private FlinkSql() {}

    public static void main(String[] args) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, "UTF-8");
        System.setOut(System.err); // whatever Flink prints must not mix with the answers
        useOneCluster();
        EnvironmentSettings.Builder settings = EnvironmentSettings.newInstance();
        TableEnvironment session =
                TableEnvironment.create(args[0].equals("streaming") ? settings.inStreamingMode().build() : settings.inBatchMode().build());
        session.getConfig().set("table.dml-sync", "true");
        session.getConfig().set("parallelism.default", "1");
        session.getConfig().set("table.local-time-zone", "UTC");
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            try {
                JsonNode request = MAPPER.readTree(line);
                if (request.has("set")) {
                    session.getConfig().set(request.get("set").asText(), request.get("value").asText());
                    answers.println("{}");
                    continue;
                }
                TableResult result = session.executeSql(request.get("sql").asText());
                answer.set("columns", MAPPER.valueToTree(result.getResolvedSchema().getColumnNames()));
                rows(result, request.get("limit").asInt(), answer.putArray("rows"));
            } catch (Throwable failure) {
                failure.printStackTrace();
                StringBuilder story = new StringBuilder();
                for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                    story.append(story.length() == 0 ? "" : " <- ").append(cause);
                }
                answer.put("error", story.toString());
            }
            answers.println(MAPPER.writeValueAsString(answer));
        }
        System.exit(0); // the mini cluster would keep the process
    }

    /** Sends all jobs, those of procedures too, to one cluster: to start one for each takes longer than most jobs. */
    private static void useOneCluster() throws Exception {
        Configuration ports = new Configuration();
        ports.set(RestOptions.BIND_PORT, "0");
        MiniClusterConfiguration.Builder size = new MiniClusterConfiguration.Builder().setNumSlotsPerTaskManager(8);
        MiniCluster cluster = new MiniCluster(size.setConfiguration(ports).build());
        cluster.start();
        URI address = cluster.getRestAddress().get();
        Configuration session = new Configuration();
        session.set(DeploymentOptions.TARGET, "remote");
        session.set(RestOptions.ADDRESS, address.getHost());
        session.set(RestOptions.PORT, address.getPort());
        ClassLoader classes = FlinkSql.class.getClassLoader();
        StreamContextEnvironment.setAsContext(new DefaultExecutorServiceLoader(), session, classes, false, true);
    }

    private static void rows(TableResult result, int limit, ArrayNode out) throws Exception {
        if (limit == 0) {
            return; // an INSERT has nothing to tell but that it came to its end
        }
        try (CloseableIterator<Row> rows = result.collect()) {
            while ((limit < 0 || out.size() < limit) && rows.hasNext()) { // a streaming query ends by the limit only
                Row row = rows.next();
                ArrayNode values = out.addArray().add(row.getKind().shortString());
                for (int i = 0; i < row.getArity(); i++) {
                    values.add(FlinkValues.write(row.getField(i)));
                }
            }
        }
    }
}
