package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.spark.sql.catalyst.util.CharVarcharUtils$;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.*;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table at a version, as the bridge describes it. Streams are read by the Python data source. */
public class PaimonTable
    implements SupportsRead, SupportsWrite, SupportsMetadataColumns, SupportsRowLevelOperations, PaimonChange.Scans {
  private final String catalog;
  private final String name;
  private final Table source;
  private final StructType schema;
  private final Map found;

  private PaimonTable(String catalog, String name, Table source, StructType schema, Map found) {
    this.catalog = catalog;
    this.name = name;
    this.source = source;
    this.schema = schema;
    this.found = found;
  }

  /** Opens a table from the bridge's answer to "load_table". */
  public static PaimonTable of(String catalog, String name, Map found) {
    String format = (String) found.get("format");
    TableProvider provider = (TableProvider) DataSource.lookupDataSourceV2(format, SQLConf.get()).get();
    StructType schema = (StructType) DataType.fromJson((String) found.get("columns"));
    Table source = provider.getTable(plain(schema), new Transform[0], new HashMap());
    return new PaimonTable(catalog, name, source, schema, found);
  }

  /** Returns a schema with STRING in place of CHAR and VARCHAR, as readers and writers see it. */
  private static StructType plain(StructType schema) {
    return CharVarcharUtils$.MODULE$.replaceCharVarcharWithStringInSchema(schema);
  }

  public String name() {
    return name;
  }

  /** Streams describe their sink with this text. */
  public String toString() {
    return name;
  }

  public StructType schema() {
    return schema;
  }

  public Map properties() {
    return (Map) found.get("properties");
  }

  public MetadataColumn[] metadataColumns() {
    StructType columns = (StructType) DataType.fromJson((String) found.get("metadata_columns"));
    List all = new ArrayList();
    for (int at = 0; at < columns.length(); at++) {
      if (!columns.fields()[at].name().equals(PaimonChange.ROW) || !isDescribed()) {
        all.add(new StoredPlace(columns.fields()[at]));
      }
    }
    return (MetadataColumn[]) all.toArray(new MetadataColumn[0]);
  }

  /** Returns whether DESCRIBE lists the columns; the whole row is not a column for users. */
  private static boolean isDescribed() {
    return Thread.currentThread().getStackTrace()[3].getClassName().contains(".DescribeTable");
  }

  public Transform[] partitioning() {
    List columns = (List) found.get("partitions");
    Transform[] transforms = new Transform[columns.size()];
    for (int at = 0; at < transforms.length; at++) {
      // Spark parses the name.
      String quoted = "`" + ((String) columns.get(at)).replace("`", "``") + "`";
      transforms[at] = org.apache.spark.sql.connector.expressions.Expressions.identity(quoted);
    }
    return transforms;
  }

  public Set capabilities() {
    Set all = new HashSet();
    List names = (List) found.get("capabilities");
    for (int at = 0; at < names.size(); at++) {
      all.add(TableCapability.valueOf((String) names.get(at)));
    }
    return all;
  }

  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return scan(joined("reading", options).asCaseSensitiveMap());
  }

  /** Returns the scan of the table with all options of a read. */
  public ScanBuilder scan(Map reading) {
    Streams streams = new Streams(catalog, (SupportsRead) source, new CaseInsensitiveStringMap(reading));
    return new PaimonScan(catalog, streams, plain(schema), (List) found.get("partitions"), reading);
  }

  public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
    Map reading = joined("reading", info.options()).asCaseSensitiveMap();
    return new PaimonChange(catalog, this, info, reading, writing(info.options().asCaseSensitiveMap()));
  }

  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    Map options = joined("writing", info.options()).asCaseSensitiveMap();
    return new PaimonWrite(catalog, (SupportsWrite) source, info, options);
  }

  /** Returns all options of a write to which the given options are passed. */
  public Map writing(Map options) {
    return joined("writing", new CaseInsensitiveStringMap(options)).asCaseSensitiveMap();
  }

  private CaseInsensitiveStringMap joined(String kind, CaseInsensitiveStringMap options) {
    Map all = new HashMap((Map) found.get(kind));
    all.putAll(options.asCaseSensitiveMap());
    return new CaseInsensitiveStringMap(all);
  }
}

/** A column that says where a row is stored. */
class StoredPlace implements MetadataColumn {
  private final StructField field;

  StoredPlace(StructField field) {
    this.field = field;
  }

  public String name() {
    return field.name();
  }

  public DataType dataType() {
    return field.dataType();
  }

  public boolean isNullable() {
    return field.nullable();
  }
}

class Streams implements PaimonScan.SupportsReadStreams {
  private final String catalog;
  private final SupportsRead source;
  private final CaseInsensitiveStringMap options;

  Streams(String catalog, SupportsRead source, CaseInsensitiveStringMap options) {
    this.catalog = catalog;
    this.source = source;
    this.options = options;
  }

  public Scan streamingScan(boolean isStream) {
    Scan scan = source.newScanBuilder(options).build();
    return new StreamingScan(catalog, scan, options.asCaseSensitiveMap(), isStream);
  }
}

/** The scan of a stream, and of statements that need the size of a table. */
class StreamingScan implements SupportsReportStatistics {
  private final String catalog;
  private final Scan scan;
  private final Map reading;
  private final boolean isStream;

  StreamingScan(String catalog, Scan scan, Map reading, boolean isStream) {
    this.catalog = catalog;
    this.scan = scan;
    this.reading = reading;
    this.isStream = isStream;
  }

  public Statistics estimateStatistics() {
    Map request = new HashMap();
    request.put("reading", reading);
    request.put("columns", new String[0]);
    request.put("stream", Boolean.valueOf(isStream));
    return new PaimonScan.Size(Bridge.result(catalog, "plan", request, null));
  }

  public StructType readSchema() {
    return scan.readSchema();
  }

  public String description() {
    return scan.description();
  }

  public Batch toBatch() {
    return scan.toBatch();
  }

  public MicroBatchStream toMicroBatchStream(String checkpoint) {
    return scan.toMicroBatchStream(checkpoint);
  }
}
