package workbench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.*;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * UPDATE, DELETE or MERGE of a table at one version. Spark plans and computes the changed rows, together with what
 * identifies them: the old row in a primary-key table, otherwise the file and the position. Python writes the rows.
 */
public class PaimonChange implements SupportsDelta, RowLevelOperationBuilder {
  /** The metadata column with the whole row. */
  public static final String ROW = "__paimon_row";

  private final String catalog;
  private final Scans table;
  private final RowLevelOperationInfo info;
  private final Map reading;
  private final Map request;
  private final List identity;
  private final List places;

  /** Creates the scan of a table with different options. */
  public interface Scans {
    ScanBuilder scan(Map reading);
  }

  public PaimonChange(String catalog, Scans table, RowLevelOperationInfo info, Map reading, Map writing) {
    this.catalog = catalog;
    this.table = table;
    this.info = info;
    this.request = new HashMap();
    request.put("reading", reading);
    request.put("writing", writing);
    request.put("command", info.command().name());
    Map found = Bridge.result(catalog, "begin_change", request, null);
    this.reading = (Map) found.get("reading");
    this.identity = (List) found.get("identity");
    this.places = (List) found.get("places");
    request.put("reading", this.reading);
  }

  public RowLevelOperation build() {
    return this;
  }

  public RowLevelOperation.Command command() {
    return info.command();
  }

  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    Map all = new HashMap(options.asCaseSensitiveMap());
    all.putAll(reading);
    return table.scan(all);
  }

  public NamedReference[] rowId() {
    return references(identity);
  }

  /** Returns further metadata columns that the statement names: Spark reads only those that a change requires. */
  public NamedReference[] requiredMetadataAttributes() {
    return references(places);
  }

  private static NamedReference[] references(List columns) {
    NamedReference[] names = new NamedReference[columns.size()];
    for (int at = 0; at < names.length; at++) {
      names[at] = Expressions.column((String) columns.get(at));
    }
    return names;
  }

  public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo written) {
    return new ChangeWrite(catalog, request);
  }
}

/** Hands the changed rows to Python as a Dataset, as planned by PaimonStrategy. */
public class ChangeWrite implements DeltaWriteBuilder, DeltaWrite, V1Write {
  private final String catalog;
  private final Map request;

  ChangeWrite(String catalog, Map request) {
    this.catalog = catalog;
    this.request = request;
  }

  public DeltaWrite build() {
    return this;
  }

  public DeltaBatchWrite toBatch() {
    throw new UnsupportedOperationException("The catalog is not attached to this session. Call wb.spark.attach.");
  }

  public InsertableRelation toInsertableRelation() {
    return new ChangedRows(catalog, request);
  }
}

class ChangedRows implements InsertableRelation {
  private final String catalog;
  private final Map request;

  ChangedRows(String catalog, Map request) {
    this.catalog = catalog;
    this.request = request;
  }

  public void insert(Dataset rows, boolean overwrite) {
    Bridge.result(catalog, "change", request, rows);
  }
}
