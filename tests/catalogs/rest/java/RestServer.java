import java.util.HashMap;
import java.util.Map;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.rest.RESTCatalogServer;
import org.apache.paimon.rest.auth.BearTokenAuthProvider;
import org.apache.paimon.rest.responses.ConfigResponse;

/**
 * Paimon's own REST server, with the directory, the name of the warehouse, the token and the defaults for its clients as
 * arguments. It prints its address, and ends when its standard input does.
 */
public final class RestServer {
    private RestServer() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> defaults = new HashMap<>();
        for (int i = 3; i < args.length; i++) {
            String[] parts = args[i].split("=", 2);
            defaults.put(parts[0], parts[1]);
        }
        ConfigResponse config = new ConfigResponse(defaults, new HashMap<>());
        RESTCatalogServer server = new RESTCatalogServer(args[0], new BearTokenAuthProvider(args[2]), config, args[1]);
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
}
