import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Map;
import org.apache.flink.types.Row;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** Flink's values in the language of {@link Values}; a float is an object, because no type goes beside it here. */
final class FlinkValues {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private FlinkValues() {}

    static JsonNode write(Object value) {
        if (value == null) {
            return JSON.nullNode();
        }
        if (value instanceof Float || value instanceof Double) {
            return JSON.objectNode().put("float", Double.toHexString(((Number) value).doubleValue()));
        }
        if (value instanceof byte[]) {
            StringBuilder hex = new StringBuilder();
            for (byte each : (byte[]) value) {
                hex.append(String.format("%02x", each));
            }
            return JSON.textNode(hex.toString());
        }
        if (value instanceof LocalDate) {
            return JSON.textNode(Long.toString(((LocalDate) value).toEpochDay()));
        }
        if (value instanceof LocalTime) {
            return JSON.textNode(Long.toString(((LocalTime) value).toNanoOfDay() / 1_000_000));
        }
        if (value instanceof LocalDateTime) {
            return nanos(((LocalDateTime) value).toInstant(ZoneOffset.UTC));
        }
        if (value instanceof Instant) {
            return nanos((Instant) value);
        }
        if (value instanceof BigDecimal) {
            return JSON.textNode(((BigDecimal) value).toPlainString());
        }
        return nested(value);
    }

    private static JsonNode nested(Object value) {
        ArrayNode out = JSON.arrayNode();
        if (value instanceof Object[]) {
            for (Object each : (Object[]) value) {
                out.add(write(each));
            }
        } else if (value instanceof Row) {
            for (int i = 0; i < ((Row) value).getArity(); i++) {
                out.add(write(((Row) value).getField(i)));
            }
        } else if (value instanceof Map) {
            ((Map<?, ?>) value).forEach((key, each) -> out.addArray().add(write(key)).add(write(each)));
        } else {
            return JSON.textNode(value.toString());
        }
        return out;
    }

    private static JsonNode nanos(Instant moment) {
        return JSON.textNode(BigInteger.valueOf(moment.getEpochSecond())
                .multiply(BigInteger.valueOf(1_000_000_000))
                .add(BigInteger.valueOf(moment.getNano()))
                .toString());
    }
}
