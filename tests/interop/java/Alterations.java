import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaChange.Move;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.types.DataTypeJsonParser;

/** Changes of columns that are named by a path, such as {@code ["list", "element", "field"]}, and of their places. */
final class Alterations {
    private Alterations() {}

    private static String text(JsonNode node) {
        return node.isNull() ? null : node.asText();
    }

    static SchemaChange change(JsonNode node) {
        String[] path = new String[node.get(1).size()];
        for (int i = 0; i < path.length; i++) {
            path[i] = node.get(1).get(i).asText();
        }
        String column = path[path.length - 1];
        switch (node.get(0).asText()) {
            case "add":
                Move place = node.size() < 4 ? null : Move.after(column, node.get(3).asText());
                return SchemaChange.addColumn(path, DataTypeJsonParser.parseDataType(node.get(2)), null, place);
            case "drop":
                return SchemaChange.dropColumn(path);
            case "rename":
                return SchemaChange.renameColumn(path, node.get(2).asText());
            case "type":
                return SchemaChange.updateColumnType(path, DataTypeJsonParser.parseDataType(node.get(2)), false);
            case "nullable":
                return SchemaChange.updateColumnNullability(path, node.get(2).asBoolean());
            case "default":
                return SchemaChange.updateColumnDefaultValue(path, text(node.get(2)));
            case "add-first":
                return SchemaChange.addColumn(
                        path, DataTypeJsonParser.parseDataType(node.get(2)), text(node.get(3)), Move.first(column));
            case "add-last":
                return SchemaChange.addColumn(
                        path, DataTypeJsonParser.parseDataType(node.get(2)), text(node.get(3)), null);
            case "comment":
                return SchemaChange.updateColumnComment(path, text(node.get(2)));
            case "set":
                return SchemaChange.setOption(column, node.get(2).asText());
            case "remove":
                return SchemaChange.removeOption(column);
            case "describe":
                return SchemaChange.updateComment(text(node.get(2)));
            case "first":
                return SchemaChange.updateColumnPosition(Move.first(column));
            case "after":
                return SchemaChange.updateColumnPosition(Move.after(column, node.get(2).asText()));
            default:
                throw new IllegalArgumentException("unknown change " + node);
        }
    }
}
