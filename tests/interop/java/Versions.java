import java.time.Duration;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.table.FileStoreTable;

/** What engines do to the versions of a table beside making tags and branches. */
public final class Versions {
    private Versions() {}

    public static void perform(FileStoreTable table, JsonNode request) throws Exception {
        String name = request.get("name").asText();
        switch (request.get("what").asText()) {
            case "roll-back":
                table.rollbackTo(name);
                break;
            case "rename-tag":
                table.renameTag(name, request.get("to").asText());
                break;
            case "replace-tag":
                Duration retained =
                        request.hasNonNull("retained") ? Duration.parse(request.get("retained").asText()) : null;
                table.replaceTag(name, request.get("snapshot").asLong(), retained);
                break;
            case "delete-tag":
                table.deleteTag(name);
                break;
            case "delete-branch":
                table.deleteBranch(name);
                break;
            case "merge-branch":
                // Java 1.4.2 does not have it.
                FileStoreTable.class
                        .getMethod("mergeBranch", String.class, String.class)
                        .invoke(table, name, "main");
                break;
            default:
                throw new IllegalArgumentException("unknown change of versions " + request);
        }
    }
}
