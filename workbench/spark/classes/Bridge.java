package workbench;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/** Calls to the Python process: requests and answers are JSON objects, and rows are passed as Spark's own Dataset. */
public class Bridge {
  /** The Python functions, by the name of the catalog. */
  public static final Map FUNCTIONS = new java.util.concurrent.ConcurrentHashMap();

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String SETTINGS = "spark.paimon.";

  /** Returns the answer to a request. An answer that says why there is no result is not thrown as an error. */
  public static Map call(String catalog, String operation, Map request, Object value) {
    return parsed((String) apply(catalog, operation, request, value));
  }

  /** Returns the result of a request, or throws the error in its answer. */
  public static Map result(String catalog, String operation, Map request, Object value) {
    return result(call(catalog, operation, request, value));
  }

  /** Returns the Dataset that answers a request, or throws the error in its answer. */
  public static Object rows(String catalog, String operation, Map request, Object value) {
    Object answer = apply(catalog, operation, request, value);
    if (answer instanceof String) {
      result(parsed((String) answer));
    }
    return answer;
  }

  /** Returns an answer, or throws the error in it. */
  public static Map result(Map answer) {
    if (answer.get("error") != null) {
      throw new IllegalArgumentException((String) answer.get("message"));
    }
    return answer;
  }

  private static Object apply(String catalog, String operation, Map request, Object value) {
    BiFunction function = (BiFunction) FUNCTIONS.get(catalog);
    if (function == null) {
      throw new IllegalStateException("Catalog " + catalog + " is not attached. Call wb.spark.attach again.");
    }
    request.put("operation", operation);
    request.put("settings", settings());
    request.put("zone", SQLConf.get().sessionLocalTimeZone());
    request.put("statement", SparkContext.getOrCreate().getLocalProperty("workbench.statement"));
    try {
      return function.apply(MAPPER.writeValueAsString(request), value);
    } catch (java.io.IOException error) {
      throw new IllegalStateException(error);
    }
  }

  private static Map parsed(String answer) {
    try {
      return (Map) MAPPER.readValue(answer, Map.class);
    } catch (java.io.IOException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Returns the settings of the session that are options of tables. */
  private static Map settings() {
    Map all = scala.jdk.javaapi.CollectionConverters.asJava(SQLConf.get().getAllConfs());
    Map found = new HashMap();
    for (java.util.Iterator each = all.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry entry = (Map.Entry) each.next();
      String key = (String) entry.getKey();
      if (key.startsWith(SETTINGS)) {
        found.put(key.substring(SETTINGS.length()), entry.getValue());
      }
    }
    // What the DataFrame writer that runs in this thread does.
    String writer = SparkContext.getOrCreate().getLocalProperty("workbench.writer");
    String[] notes = writer == null ? new String[0] : writer.split(",");
    for (int at = 0; at < notes.length; at++) {
      found.put(notes[at], "true");
    }
    return found;
  }
}
