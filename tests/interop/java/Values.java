import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

/**
 * Paimon values as JSON of text, and back: the language that both sides of the referee speak. A scalar is its text (times as
 * integers: days, milliseconds of the day, nanoseconds since the epoch; bytes as hex; floats as hexadecimal floats, so that no
 * digit is lost); arrays and rows are JSON arrays; a map is an array of [key, value] pairs; null is null.
 */
final class Values {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final BigInteger NANOS_PER_MILLI = BigInteger.valueOf(1_000_000);

    private Values() {}

    static JsonNode write(DataType type, Object value) {
        if (value == null) {
            return JSON.nullNode();
        }
        switch (type.getTypeRoot()) {
            case FLOAT:
                return JSON.textNode(Double.toHexString((Float) value));
            case DOUBLE:
                return JSON.textNode(Double.toHexString((Double) value));
            case DECIMAL:
                return JSON.textNode(((Decimal) value).toBigDecimal().toPlainString());
            case BINARY:
            case VARBINARY:
                return JSON.textNode(hex((byte[]) value));
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return JSON.textNode(nanos((Timestamp) value).toString());
            case ARRAY:
                return elements(((ArrayType) type).getElementType(), (InternalArray) value);
            case MAP:
                return pairs(((MapType) type).getKeyType(), ((MapType) type).getValueType(), (InternalMap) value);
            case MULTISET:
                return pairs(((MultisetType) type).getElementType(), org.apache.paimon.types.DataTypes.INT(), (InternalMap) value);
            case ROW:
                return fields((RowType) type, (InternalRow) value);
            default:
                return Specials.write(type, value);
        }
    }

    static ArrayNode fields(RowType type, InternalRow row) {
        ArrayNode out = JSON.arrayNode();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataType fieldType = type.getTypeAt(i);
            out.add(write(fieldType, InternalRow.createFieldGetter(fieldType, i).getFieldOrNull(row)));
        }
        return out;
    }

    private static ArrayNode elements(DataType type, InternalArray array) {
        ArrayNode out = JSON.arrayNode();
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type);
        for (int i = 0; i < array.size(); i++) {
            out.add(write(type, getter.getElementOrNull(array, i)));
        }
        return out;
    }

    private static ArrayNode pairs(DataType keyType, DataType valueType, InternalMap map) {
        ArrayNode keys = elements(keyType, map.keyArray());
        ArrayNode values = elements(valueType, map.valueArray());
        ArrayNode out = JSON.arrayNode();
        for (int i = 0; i < keys.size(); i++) {
            out.add(JSON.arrayNode().add(keys.get(i)).add(values.get(i)));
        }
        return out;
    }

    private static BigInteger nanos(Timestamp value) {
        return BigInteger.valueOf(value.getMillisecond())
                .multiply(NANOS_PER_MILLI)
                .add(BigInteger.valueOf(value.getNanoOfMillisecond()));
    }

    static Object read(DataType type, JsonNode node) {
        // A row that is shorter than the schema has NULL in the columns that were added.
        if (node == null || node.isNull()) {
            return null;
        }
        String text = node.asText();
        switch (type.getTypeRoot()) {
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(text);
            case BOOLEAN:
                return Boolean.valueOf(text);
            case BINARY:
            case VARBINARY:
                return bytes(text);
            case DECIMAL:
                DecimalType decimal = (DecimalType) type;
                return Decimal.fromBigDecimal(new BigDecimal(text), decimal.getPrecision(), decimal.getScale());
            case TINYINT:
                return Byte.valueOf(text);
            case SMALLINT:
                return Short.valueOf(text);
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
                return Integer.valueOf(text);
            case BIGINT:
                return Long.valueOf(text);
            case FLOAT:
                return (float) Double.parseDouble(text);
            case DOUBLE:
                return Double.parseDouble(text);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                BigInteger nanos = new BigInteger(text);
                long fraction = nanos.mod(NANOS_PER_MILLI).longValueExact();
                long millis = nanos.subtract(BigInteger.valueOf(fraction)).divide(NANOS_PER_MILLI).longValueExact();
                return Timestamp.fromEpochMillis(millis, (int) fraction);
            default:
                return readNested(type, node);
        }
    }

    private static Object readNested(DataType type, JsonNode node) {
        switch (type.getTypeRoot()) {
            case ARRAY:
                Object[] elements = new Object[node.size()];
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = read(((ArrayType) type).getElementType(), node.get(i));
                }
                return new GenericArray(elements);
            case MAP:
                Map<Object, Object> map = new LinkedHashMap<>();
                for (JsonNode pair : node) {
                    map.put(read(((MapType) type).getKeyType(), pair.get(0)), read(((MapType) type).getValueType(), pair.get(1)));
                }
                return new GenericMap(map);
            case MULTISET:
                Map<Object, Object> counts = new LinkedHashMap<>();
                for (JsonNode pair : node) {
                    counts.put(read(((MultisetType) type).getElementType(), pair.get(0)), pair.get(1).asInt());
                }
                return new GenericMap(counts);
            case ROW:
                List<DataField> fields = ((RowType) type).getFields();
                GenericRow row = new GenericRow(fields.size());
                for (int i = 0; i < fields.size(); i++) {
                    row.setField(i, read(fields.get(i).type(), node.get(i)));
                }
                return row;
            default:
                return Specials.read(type, node);
        }
    }

    static String hex(byte[] bytes) {
        StringBuilder out = new StringBuilder(bytes.length * 2);
        for (byte b : bytes) {
            out.append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return out.toString();
    }

    static byte[] bytes(String hex) {
        byte[] out = new byte[hex.length() / 2];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return out;
    }
}
