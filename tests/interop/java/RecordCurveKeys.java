import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.sort.hilbert.HilbertIndexer;
import org.apache.paimon.sort.zorder.ZIndexer;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/**
 * Records the z-order and Hilbert keys that Java Paimon's own classes give to generated rows, one JSON array per line:
 * the values, then the keys in hexadecimal. The recorded rows are read by tests/unit/lsm.
 */
public class RecordCurveKeys {

    private static final RowType TYPE = RowType.builder()
            .field("tiny", DataTypes.TINYINT())
            .field("small", DataTypes.SMALLINT())
            .field("number", DataTypes.INT())
            .field("large", DataTypes.BIGINT())
            .field("flag", DataTypes.BOOLEAN())
            .field("day", DataTypes.DATE())
            .field("time", DataTypes.TIMESTAMP(6))
            .field("text", DataTypes.STRING())
            .field("bytes", DataTypes.BYTES())
            .field("double", DataTypes.DOUBLE())
            .build();

    public static void main(String[] arguments) {
        int rows = Integer.parseInt(arguments[0]);
        Random random = new Random(Long.parseLong(arguments[1]));
        List<String> all = new ArrayList<>(TYPE.getFieldNames());
        List<String> ordered = all.subList(0, 9);
        ZIndexer zOrder = new ZIndexer(TYPE, ordered);
        ZIndexer wide = new ZIndexer(TYPE, Arrays.asList("number", "text", "large"), 11);
        HilbertIndexer three = new HilbertIndexer(TYPE, Arrays.asList("number", "large", "text"));
        HilbertIndexer seven =
                new HilbertIndexer(TYPE, Arrays.asList("tiny", "small", "flag", "day", "time", "bytes", "double"));
        for (ZIndexer indexer : Arrays.asList(zOrder, wide)) {
            indexer.open();
        }
        for (int i = 0; i < rows; i++) {
            GenericRow row = row(random);
            System.out.println("[" + values(row) + ",\"" + hex(zOrder.index(row)) + "\",\"" + hex(wide.index(row))
                    + "\",\"" + hex(three.index(row)) + "\",\"" + hex(seven.index(row)) + "\"]");
        }
    }

    private static GenericRow row(Random random) {
        byte[] bytes = new byte[random.nextInt(12)];
        random.nextBytes(bytes);
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(14); i > 0; i--) {
            text.append((char) (' ' + 3 + random.nextInt(50)));
        }
        long micros = random.nextLong() >> 12;
        Object[] values = {
            (byte) random.nextInt(), (short) random.nextInt(), random.nextInt() >> random.nextInt(30),
            random.nextLong() >> random.nextInt(60), random.nextBoolean(), random.nextInt(40000) - 10000,
            Timestamp.fromMicros(micros), BinaryString.fromString(text.toString().replace('\\', '/')), bytes,
            random.nextGaussian() * 1000
        };
        for (int i = 0; i < values.length; i++) {
            if (random.nextInt(9) == 0) {
                values[i] = null;
            }
        }
        return GenericRow.of(values);
    }

    private static String values(GenericRow row) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < row.getFieldCount(); i++) {
            Object value = row.getField(i);
            if (value instanceof Timestamp) {
                texts.add(String.valueOf(((Timestamp) value).toMicros()));
            } else if (value instanceof byte[]) {
                texts.add("\"" + hex((byte[]) value) + "\"");
            } else if (value instanceof BinaryString) {
                texts.add("\"" + hex(value.toString().getBytes(StandardCharsets.UTF_8)) + "\"");
            } else {
                texts.add(String.valueOf(value));
            }
        }
        return String.join(",", texts);
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            text.append(String.format("%02x", each));
        }
        return text.toString();
    }
}
