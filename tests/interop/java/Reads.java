import java.io.BufferedWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypeFamily;
import org.apache.paimon.types.RowType;

/** Reads a table to a file of rows, or aggregates it. */
public final class Reads {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Reads() {}

    private static ReadBuilder reader(Table table, JsonNode request) {
        RowType rowType = table.rowType();
        ReadBuilder builder = table.newReadBuilder();
        if (request.hasNonNull("filters")) {
            List<Predicate> predicates = new ArrayList<>();
            request.get("filters").forEach(node -> predicates.add(predicate(rowType, node)));
            builder.withFilter(predicates);
        }
        if (request.hasNonNull("columns")) {
            builder.withProjection(Referee.texts(request.get("columns")).stream().mapToInt(rowType::getFieldIndex).toArray());
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

    private static RecordReaderIterator<InternalRow> rows(ReadBuilder builder, IOManager spill) throws Exception {
        RecordReader<InternalRow> reader =
                builder.newRead().withIOManager(spill).executeFilter().createReader(builder.newScan().plan());
        return new RecordReaderIterator<>(reader);
    }

    static void read(Table table, IOManager spill, JsonNode request, ObjectNode answer) throws Exception {
        ReadBuilder builder = reader(table, request);
        RowType rowType = builder.readType();
        Path out = Paths.get(request.get("out").asText());
        long count = 0;
        try (RecordReaderIterator<InternalRow> rows = rows(builder, spill);
                BufferedWriter writer = Files.newBufferedWriter(out, StandardCharsets.UTF_8)) {
            while (rows.hasNext()) {
                InternalRow row = rows.next();
                ArrayNode line = JsonNodeFactory.instance.arrayNode().add(row.getRowKind().shortString());
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

    static void aggregate(Table table, IOManager spill, JsonNode request, ObjectNode answer) throws Exception {
        ReadBuilder builder = reader(table, request);
        RowType rowType = builder.readType();
        BigDecimal[] sums = new BigDecimal[rowType.getFieldCount()];
        long count = 0;
        try (RecordReaderIterator<InternalRow> rows = rows(builder, spill)) {
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
}
