package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog whose every method is a call of one Python function: a request and its answer are JSON objects.
 * Reads and writes of its tables are those of the Python data source.
 *
 * Janino compiles this file when a session is attached. It has no lambdas, and reads no type arguments.
 */
public class PaimonCatalog implements TableCatalog, SupportsNamespaces {
  /** The Python functions by the names of the catalogs. */
  public static final Map BRIDGES = new java.util.concurrent.ConcurrentHashMap();

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private String name;

  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
  }

  public String name() {
    return name;
  }

  public String[] defaultNamespace() {
    return new String[] {"default"};
  }

  // Databases

  public String[][] listNamespaces() {
    List names = (List) result(call("list_databases", new HashMap())).get("names");
    String[][] found = new String[names.size()][];
    for (int at = 0; at < found.length; at++) {
      found[at] = new String[] {(String) names.get(at)};
    }
    return found;
  }

  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    if (namespace.length == 0) {
      return listNamespaces();
    }
    loadNamespaceMetadata(namespace);
    return new String[0][];
  }

  public Map loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
    Map answer = call("describe_database", database(namespace));
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchNamespaceException(namespace);
    }
    return (Map) result(answer).get("properties");
  }

  public void createNamespace(String[] namespace, Map metadata) throws NamespaceAlreadyExistsException {
    Map request = database(namespace);
    request.put("properties", metadata);
    Map answer = call("create_database", request);
    if ("exists".equals(answer.get("error"))) {
      throw new NamespaceAlreadyExistsException(namespace);
    }
    result(answer);
  }

  public void alterNamespace(String[] namespace, NamespaceChange[] changes) {
    throw new UnsupportedOperationException("The catalog keeps no properties of databases.");
  }

  public boolean dropNamespace(String[] namespace, boolean cascade)
      throws NoSuchNamespaceException, NonEmptyNamespaceException {
    Map request = database(namespace);
    request.put("cascade", Boolean.valueOf(cascade));
    Map answer = call("drop_database", request);
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchNamespaceException(namespace);
    }
    if ("not empty".equals(answer.get("error"))) {
      throw new NonEmptyNamespaceException(namespace);
    }
    result(answer);
    return true;
  }

  // Tables

  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    Map answer = call("list_tables", database(namespace));
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchNamespaceException(namespace);
    }
    List names = (List) result(answer).get("names");
    Identifier[] found = new Identifier[names.size()];
    for (int at = 0; at < found.length; at++) {
      found[at] = Identifier.of(namespace, (String) names.get(at));
    }
    return found;
  }

  public Table loadTable(Identifier identifier) throws NoSuchTableException {
    return load(identifier, table(identifier));
  }

  public Table loadTable(Identifier identifier, String version) throws NoSuchTableException {
    Map request = table(identifier);
    request.put("version", version);
    return load(identifier, request);
  }

  public Table loadTable(Identifier identifier, long micros) throws NoSuchTableException {
    Map request = table(identifier);
    request.put("micros", Long.valueOf(micros));
    return load(identifier, request);
  }

  public Table createTable(Identifier identifier, StructType schema, Transform[] partitions, Map properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    List columns = new ArrayList();
    for (int at = 0; at < partitions.length; at++) {
      columns.add(partitions[at].describe());
    }
    Map request = table(identifier);
    request.put("schema", schema.json());
    request.put("partitions", columns);
    request.put("properties", properties);
    Map answer = call("create_table", request);
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchNamespaceException(identifier.namespace());
    }
    if ("exists".equals(answer.get("error"))) {
      throw new TableAlreadyExistsException(identifier);
    }
    return opened(identifier, result(answer));
  }

  public Table alterTable(Identifier identifier, TableChange[] changes) throws NoSuchTableException {
    List described = new ArrayList();
    for (int at = 0; at < changes.length; at++) {
      described.add(Changes.describe(changes[at]));
    }
    Map request = table(identifier);
    request.put("changes", described);
    Map answer = call("alter_table", request);
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchTableException(identifier);
    }
    if ("failed".equals(answer.get("error"))) {
      // Spark hides the message of an IllegalArgumentException here.
      throw new UnsupportedOperationException((String) answer.get("message"));
    }
    return opened(identifier, result(answer));
  }

  public boolean dropTable(Identifier identifier) {
    Map answer = call("drop_table", table(identifier));
    if ("missing".equals(answer.get("error"))) {
      return false;
    }
    result(answer);
    return true;
  }

  public void renameTable(Identifier from, Identifier to) throws NoSuchTableException, TableAlreadyExistsException {
    Map request = table(from);
    request.put("to", table(to));
    Map answer = call("rename_table", request);
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchTableException(from);
    }
    if ("exists".equals(answer.get("error"))) {
      throw new TableAlreadyExistsException(to);
    }
    result(answer);
  }

  private Table load(Identifier identifier, Map request) throws NoSuchTableException {
    Map answer = call("load_table", request);
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchTableException(identifier);
    }
    return opened(identifier, result(answer));
  }

  private Table opened(Identifier identifier, Map found) {
    String format = (String) found.get("format");
    TableProvider provider = (TableProvider) DataSource.lookupDataSourceV2(format, SQLConf.get()).get();
    StructType schema = StructType.fromDDL((String) found.get("columns"));
    Map none = new HashMap();
    Table source = provider.getTable(schema, new Transform[0], none);
    return new PaimonTable(name + "." + identifier, (SupportsRead) source, schema, found);
  }

  // Requests

  private Map database(String[] namespace) {
    Map request = new HashMap();
    request.put("database", namespace.length == 0 ? "" : String.join(".", namespace));
    return request;
  }

  private Map table(Identifier identifier) {
    Map request = database(identifier.namespace());
    request.put("table", identifier.name());
    return request;
  }

  private Map call(String operation, Map request) {
    Function bridge = (Function) BRIDGES.get(name);
    if (bridge == null) {
      throw new IllegalStateException("Catalog " + name + " is not attached. Call wb.spark.attach again.");
    }
    request.put("operation", operation);
    try {
      return (Map) MAPPER.readValue((String) bridge.apply(MAPPER.writeValueAsString(request)), Map.class);
    } catch (java.io.IOException error) {
      throw new IllegalStateException(error);
    }
  }

  private Map result(Map answer) {
    if (answer.get("error") != null) {
      throw new IllegalArgumentException((String) answer.get("message"));
    }
    return answer;
  }
}

/** A table of the catalog: the data source's table, with the options that name the table and its version. */
class PaimonTable implements SupportsRead, SupportsWrite {
  private final String name;
  private final SupportsRead source;
  private final StructType schema;
  private final Map found;

  PaimonTable(String name, SupportsRead source, StructType schema, Map found) {
    this.name = name;
    this.source = source;
    this.schema = schema;
    this.found = found;
  }

  public String name() {
    return name;
  }

  public StructType schema() {
    return schema;
  }

  public Map properties() {
    return (Map) found.get("properties");
  }

  public Transform[] partitioning() {
    List columns = (List) found.get("partitions");
    Transform[] transforms = new Transform[columns.size()];
    for (int at = 0; at < transforms.length; at++) {
      transforms[at] = org.apache.spark.sql.connector.expressions.Expressions.identity((String) columns.get(at));
    }
    return transforms;
  }

  public Set capabilities() {
    return source.capabilities();
  }

  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return source.newScanBuilder(joined("reading", options));
  }

  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return ((SupportsWrite) source).newWriteBuilder(new NamedWrite(info, joined("writing", info.options())));
  }

  private CaseInsensitiveStringMap joined(String kind, CaseInsensitiveStringMap options) {
    Map all = new HashMap((Map) found.get(kind));
    all.putAll(options.asCaseSensitiveMap());
    return new CaseInsensitiveStringMap(all);
  }
}

/** What Spark says of a write, with other options. */
class NamedWrite implements LogicalWriteInfo {
  private final LogicalWriteInfo info;
  private final CaseInsensitiveStringMap options;

  NamedWrite(LogicalWriteInfo info, CaseInsensitiveStringMap options) {
    this.info = info;
    this.options = options;
  }

  public CaseInsensitiveStringMap options() {
    return options;
  }

  public String queryId() {
    return info.queryId();
  }

  public StructType schema() {
    return info.schema();
  }
}

/** Changes of a table as JSON objects. */
class Changes {
  static Map describe(TableChange change) {
    Map found = new HashMap();
    found.put("kind", change.getClass().getSimpleName());
    if (change instanceof TableChange.SetProperty) {
      found.put("key", ((TableChange.SetProperty) change).property());
      found.put("value", ((TableChange.SetProperty) change).value());
    } else if (change instanceof TableChange.RemoveProperty) {
      found.put("key", ((TableChange.RemoveProperty) change).property());
    } else if (change instanceof TableChange.ColumnChange) {
      found.put("path", ((TableChange.ColumnChange) change).fieldNames());
      describe(change, found);
    }
    return found;
  }

  private static void describe(TableChange change, Map found) {
    if (change instanceof TableChange.AddColumn) {
      TableChange.AddColumn added = (TableChange.AddColumn) change;
      found.put("type", added.dataType().json());
      found.put("nullable", Boolean.valueOf(added.isNullable()));
      found.put("comment", added.comment());
      position(added.position(), found);
    } else if (change instanceof TableChange.RenameColumn) {
      found.put("new_name", ((TableChange.RenameColumn) change).newName());
    } else if (change instanceof TableChange.UpdateColumnType) {
      found.put("type", ((TableChange.UpdateColumnType) change).newDataType().json());
    } else if (change instanceof TableChange.UpdateColumnNullability) {
      found.put("nullable", Boolean.valueOf(((TableChange.UpdateColumnNullability) change).nullable()));
    } else if (change instanceof TableChange.UpdateColumnComment) {
      found.put("comment", ((TableChange.UpdateColumnComment) change).newComment());
    } else if (change instanceof TableChange.UpdateColumnDefaultValue) {
      found.put("default", ((TableChange.UpdateColumnDefaultValue) change).newDefaultValue());
    } else if (change instanceof TableChange.UpdateColumnPosition) {
      position(((TableChange.UpdateColumnPosition) change).position(), found);
    } else if (change instanceof TableChange.DeleteColumn) {
      found.put("if_exists", ((TableChange.DeleteColumn) change).ifExists());
    }
  }

  private static void position(TableChange.ColumnPosition position, Map found) {
    if (position instanceof TableChange.After) {
      found.put("after", ((TableChange.After) position).column());
    } else if (position != null) {
      found.put("first", Boolean.TRUE);
    }
  }
}
