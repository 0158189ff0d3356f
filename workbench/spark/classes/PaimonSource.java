package paimon;

import java.util.HashMap;
import java.util.Map;

import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.StreamSinkProvider;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import workbench.Bridge;
import workbench.PaimonStream;
import workbench.PaimonTable;

/**
 * The format "paimon" of readers and writers, which names a table by "database.table" or by its directory.
 *
 * Spark finds the class by the name of the format, in any case.
 */
public class DefaultSource implements TableProvider, StreamSinkProvider, DataSourceRegister {
  public String shortName() {
    return "paimon";
  }

  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return load(options.asCaseSensitiveMap()).schema();
  }

  public Table getTable(StructType schema, Transform[] partitions, Map properties) {
    return load(properties);
  }

  public Sink createSink(SQLContext context, scala.collection.immutable.Map parameters,
      scala.collection.immutable.Seq partitions, OutputMode mode) {
    Map options = new HashMap(scala.jdk.javaapi.CollectionConverters.asJava(parameters));
    boolean complete = mode.equals(OutputMode.Complete());
    if (!complete && !mode.equals(OutputMode.Append())) {
      throw new UnsupportedOperationException("Output mode " + mode + " is not supported. Use 'append' or 'complete'.");
    }
    return new PaimonStream(catalog(options), load(options).writing(options), complete);
  }

  private PaimonTable load(Map options) {
    String catalog = catalog(options);
    Map request = new HashMap();
    request.put("options", options);
    return PaimonTable.of(catalog, "paimon." + options.get("path"), Bridge.result(catalog, "load_path", request, null));
  }

  /** Returns the catalog that an option names, otherwise the catalog of the format. */
  private static String catalog(Map options) {
    String named = (String) options.get("catalog");
    return named == null ? "" : named;
  }
}
