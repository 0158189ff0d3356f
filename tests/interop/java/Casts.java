import java.io.BufferedWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.paimon.casting.CastExecutor;
import org.apache.paimon.casting.CastExecutors;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeCasts;
import org.apache.paimon.types.DataTypeJsonParser;

/** The casts that a reader applies to a column whose type was altered, one value at a time. */
public final class Casts {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Casts() {}

    /**
     * For each line {@code [source type, target type, [value, …]]} of a file, a line of another one: {@code null} where such an
     * alteration is refused, else an array with {@code [value]} or the class of an error for every value.
     */
    public static void perform(Path requests, Path answers) throws Exception {
        try (BufferedWriter out = Files.newBufferedWriter(answers, StandardCharsets.UTF_8)) {
            for (String line : Files.readAllLines(requests, StandardCharsets.UTF_8)) {
                out.write(MAPPER.writeValueAsString(answer(MAPPER.readTree(line))));
                out.write('\n');
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static JsonNode answer(JsonNode request) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        DataType source = DataTypeJsonParser.parseDataType(request.get(0));
        DataType target = DataTypeJsonParser.parseDataType(request.get(1));
        CastExecutor<Object, Object> executor = (CastExecutor<Object, Object>) CastExecutors.resolve(source, target);
        if (executor == null || !DataTypeCasts.supportsCast(source, target, true)) {
            return json.nullNode();
        }
        ArrayNode results = json.arrayNode();
        for (JsonNode value : request.get(2)) {
            try {
                results.add(json.arrayNode().add(Values.write(target, executor.cast(Values.read(source, value)))));
            } catch (RuntimeException failure) {
                results.add(failure.getClass().getName());
            }
        }
        return results;
    }
}
