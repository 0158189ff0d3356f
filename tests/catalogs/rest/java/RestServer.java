import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.options.Options;
import org.apache.paimon.rest.RESTCatalogServer;
import org.apache.paimon.rest.RESTFileSystemCatalog;
import org.apache.paimon.rest.auth.BearTokenAuthProvider;
import org.apache.paimon.rest.responses.ConfigResponse;

/**
 * Paimon's own REST server, with the directory, the name of the warehouse, the token, the defaults for its clients and
 * the options of the storage as arguments. It prints its address, and ends when its standard input does.
 */
public final class RestServer {
    private static final String STORAGE = "storage:";

    private RestServer() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> defaults = new HashMap<>();
        Options storage = new Options();
        for (int i = 3; i < args.length; i++) {
            String[] parts = args[i].split("=", 2);
            if (parts[0].startsWith(STORAGE)) {
                storage.set(parts[0].substring(STORAGE.length()), parts[1]);
            } else {
                defaults.put(parts[0], parts[1]);
            }
        }
        ConfigResponse config = new ConfigResponse(defaults, new HashMap<>());
        boolean isLocal = !args[0].contains("://");
        String directory = isLocal ? args[0] : System.getProperty("java.io.tmpdir") + "/unused";
        RESTCatalogServer server = new RESTCatalogServer(directory, new BearTokenAuthProvider(args[2]), config, args[1]);
        if (!isLocal) {
            open(server, new Path(args[0]), storage);
        }
        server.addNoPermissionTable(Identifier.create("closed", "secret"));
        server.addNoPermissionDatabase("forbidden");
        server.start();
        System.out.println(server.getUrl());
        System.out.flush();
        while (System.in.read() >= 0) {
            // Nothing is sent; the end of the input is awaited.
        }
        System.exit(0);
    }

    /** Makes a server, which opens local directories only, use another one. */
    private static void open(RESTCatalogServer server, Path place, Options storage) throws Exception {
        CatalogContext context = CatalogContext.create(storage);
        Field catalog = RESTCatalogServer.class.getDeclaredField("catalog");
        catalog.setAccessible(true);
        catalog.set(server, new RESTFileSystemCatalog(FileIO.get(place, context), place, context));
    }
}
