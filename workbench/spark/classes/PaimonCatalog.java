package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog in which every method calls the same Python function.
 *
 * Janino compiles the files of this folder when a session is attached. It supports neither lambdas nor type arguments.
 */
public class PaimonCatalog implements StagingTableCatalog, SupportsNamespaces, FunctionCatalog {
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

  public java.util.Set capabilities() {
    java.util.Set all = new java.util.HashSet();
    all.add(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE);
    return all;
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
    if (namespace.length != 1) {
      throw new IllegalArgumentException(
          "The name of a database has one part, but " + String.join(".", namespace) + " has " + namespace.length + ".");
    }
    Map request = database(namespace);
    request.put("properties", metadata);
    Map answer = call("create_database", request);
    if ("exists".equals(answer.get("error"))) {
      throw new NamespaceAlreadyExistsException(namespace);
    }
    result(answer);
  }

  public void alterNamespace(String[] namespace, NamespaceChange[] changes) throws NoSuchNamespaceException {
    Map request = database(namespace);
    request.put("properties", Describe.properties(changes));
    Map answer = call("alter_database", request);
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchNamespaceException(namespace);
    }
    if ("failed".equals(answer.get("error"))) {
      throw new UnsupportedOperationException((String) answer.get("message"));
    }
    result(answer);
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

  // Functions

  public Identifier[] listFunctions(String[] namespace) {
    boolean ofSystem = namespace.length == 0 || isSystem(namespace);
    UnboundFunction[] all = ofSystem ? Functions.all(name) : new UnboundFunction[0];
    Identifier[] found = new Identifier[all.length];
    for (int at = 0; at < found.length; at++) {
      found[at] = Identifier.of(namespace, all[at].name());
    }
    return found;
  }

  public UnboundFunction loadFunction(Identifier identifier) throws NoSuchFunctionException {
    UnboundFunction found = isSystem(identifier.namespace()) ? Functions.find(name, identifier.name()) : null;
    if (found == null) {
      throw new NoSuchFunctionException(identifier);
    }
    return found;
  }

  private static boolean isSystem(String[] namespace) {
    return namespace.length == 1 && "sys".equalsIgnoreCase(namespace[0]);
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
    Map answer = call("create_table", definition(identifier, schema, partitions, properties));
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchNamespaceException(identifier.namespace());
    }
    if ("exists".equals(answer.get("error"))) {
      throw new TableAlreadyExistsException(identifier);
    }
    return opened(identifier, result(answer));
  }

  public StagedTable stageCreate(Identifier identifier, StructType schema, Transform[] partitions, Map properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    Table created = createTable(identifier, schema, partitions, properties);
    Map definition = definition(identifier, schema, partitions, properties);
    return new Staged((PaimonTable) created, name, table(identifier), "drop_table", definition);
  }

  public StagedTable stageReplace(Identifier identifier, StructType schema, Transform[] partitions, Map properties)
      throws NoSuchTableException {
    Map answer = call("replace_table", definition(identifier, schema, partitions, properties));
    if ("missing".equals(answer.get("error"))) {
      throw new NoSuchTableException(identifier);
    }
    Map undo = table(identifier);
    undo.put("undo", result(answer).get("undo"));
    return new Staged((PaimonTable) opened(identifier, answer), name, undo, "restore_table", null);
  }

  public StagedTable stageCreateOrReplace(
      Identifier identifier, StructType schema, Transform[] partitions, Map properties) throws NoSuchNamespaceException {
    try {
      return tableExists(identifier)
          ? stageReplace(identifier, schema, partitions, properties)
          : stageCreate(identifier, schema, partitions, properties);
    } catch (NoSuchTableException error) {
      throw new NoSuchNamespaceException(identifier.namespace());
    } catch (TableAlreadyExistsException error) {
      throw new IllegalStateException(error);
    }
  }

  private Map definition(Identifier identifier, StructType schema, Transform[] partitions, Map properties) {
    List columns = new ArrayList();
    for (int at = 0; at < partitions.length; at++) {
      // The description of a column has backquotes if its name is not a plain word.
      boolean isColumn = "identity".equals(partitions[at].name()) && partitions[at].references()[0].fieldNames().length == 1;
      columns.add(isColumn ? partitions[at].references()[0].fieldNames()[0] : partitions[at].describe());
    }
    Map request = table(identifier);
    request.put("schema", schema.json());
    request.put("partitions", columns);
    request.put("properties", properties);
    return request;
  }

  public Table alterTable(Identifier identifier, TableChange[] changes) throws NoSuchTableException {
    List described = new ArrayList();
    for (int at = 0; at < changes.length; at++) {
      described.add(Describe.change(changes[at]));
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
    // Spark leaves the name of this catalog in the new name.
    String[] namespace = to.namespace();
    boolean named = namespace.length == 2 && namespace[0].equals(name);
    request.put("to", table(named ? Identifier.of(new String[] {namespace[1]}, to.name()) : to));
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
    return PaimonTable.of(name, name + "." + identifier, found);
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
    return Bridge.call(name, operation, request, null);
  }

  private Map result(Map answer) {
    return Bridge.result(answer);
  }
}

/** A table that a statement creates or replaces and then fills; it is dropped or restored if that fails. */
class Staged implements StagedTable, SupportsRead, SupportsWrite {
  private final String catalog;
  private final Map request;
  private final String undo;
  private PaimonTable table;
  private Map definition;

  Staged(PaimonTable table, String catalog, Map request, String undo, Map definition) {
    this.table = table;
    this.catalog = catalog;
    this.request = request;
    this.undo = undo;
    this.definition = definition;
  }

  public void commitStagedChanges() {
    Bridge.result(catalog, "commit_table", request, null);
  }

  public void abortStagedChanges() {
    Bridge.result(catalog, undo, request, null);
  }

  public String name() {
    return table.name();
  }

  public StructType schema() {
    return table.schema();
  }

  public Map properties() {
    return table.properties();
  }

  public Transform[] partitioning() {
    return table.partitioning();
  }

  public java.util.Set capabilities() {
    return table.capabilities();
  }

  public org.apache.spark.sql.connector.read.ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return table.newScanBuilder(options);
  }

  public org.apache.spark.sql.connector.write.WriteBuilder newWriteBuilder(
      org.apache.spark.sql.connector.write.LogicalWriteInfo info) {
    if (definition != null && !info.options().isEmpty()) {
      define(info.options());
    }
    return table.newWriteBuilder(info);
  }

  /** Creates the table again with the options of the writer, which Spark passes only here. */
  private void define(CaseInsensitiveStringMap options) {
    definition.put("options", options.asCaseSensitiveMap());
    Bridge.result(catalog, "drop_table", request, null);
    table = PaimonTable.of(catalog, table.name(), Bridge.result(catalog, "create_table", definition, null));
    definition = null;
  }
}
