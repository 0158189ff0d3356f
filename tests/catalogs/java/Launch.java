import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs a class with a class path in a loader of its own, which Hive 3 requires on Java 9 and later. */
public class Launch {
    public static void main(String[] arguments) throws Exception {
        List<URL> path = new ArrayList<>();
        for (String each : arguments[0].split(File.pathSeparator)) {
            if (each.endsWith("/*")) {
                for (File file : new File(each.substring(0, each.length() - 2)).listFiles()) {
                    if (file.getName().endsWith(".jar")) {
                        path.add(file.toURI().toURL());
                    }
                }
            } else {
                path.add(new File(each).toURI().toURL());
            }
        }
        ClassLoader loader =
                new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        String[] rest = Arrays.copyOfRange(arguments, 2, arguments.length);
        loader.loadClass(arguments[1]).getMethod("main", String[].class).invoke(null, (Object) rest);
    }
}
