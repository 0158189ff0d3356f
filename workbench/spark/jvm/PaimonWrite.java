package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.write.*;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Hands the rows of a batch write to Python as a Dataset; streams are written by the Python data source. */
public class PaimonWrite implements SupportsOverwrite, SupportsDynamicOverwrite {
  private final String catalog;
  private final SupportsWrite source;
  private final LogicalWriteInfo info;
  private final Map writing;
  private String mode = "append";
  private List filters = new ArrayList();

  public PaimonWrite(String catalog, SupportsWrite source, LogicalWriteInfo info, Map writing) {
    this.catalog = catalog;
    this.source = source;
    this.info = info;
    this.writing = writing;
  }

  public boolean canOverwrite(Filter[] given) {
    for (int at = 0; at < given.length; at++) {
      if (Describe.filter(given[at]) == null) {
        return false;
      }
    }
    return true;
  }

  public WriteBuilder overwrite(Filter[] given) {
    mode = "overwrite";
    for (int at = 0; at < given.length; at++) {
      filters.add(Describe.filter(given[at]));
    }
    return this;
  }

  public WriteBuilder truncate() {
    mode = "overwrite";
    return this;
  }

  public WriteBuilder overwriteDynamicPartitions() {
    mode = "dynamic";
    return this;
  }

  public Write build() {
    Map request = new HashMap();
    request.put("writing", writing);
    request.put("mode", mode);
    request.put("filters", filters);
    return new RowsWrite(catalog, request, source, new NamedWrite(info, writing), mode);
  }
}

/** A batch write of a Dataset. */
class RowsWrite implements V1Write {
  private final String catalog;
  private final Map request;
  private final SupportsWrite source;
  private final LogicalWriteInfo info;
  private final String mode;

  RowsWrite(String catalog, Map request, SupportsWrite source, LogicalWriteInfo info, String mode) {
    this.catalog = catalog;
    this.request = request;
    this.source = source;
    this.info = info;
    this.mode = mode;
  }

  public InsertableRelation toInsertableRelation() {
    return new RowsInsert(catalog, request);
  }

  /** Spark asks for a batch where the strategy of the session does not plan the write, as in sessions of others. */
  public BatchWrite toBatch() {
    return written().toBatch();
  }

  public StreamingWrite toStreaming() {
    return written().toStreaming();
  }

  private Write written() {
    WriteBuilder builder = source.newWriteBuilder(info);
    return "append".equals(mode) ? builder.build() : ((SupportsTruncate) builder).truncate().build();
  }
}

class RowsInsert implements InsertableRelation {
  private final String catalog;
  private final Map request;

  RowsInsert(String catalog, Map request) {
    this.catalog = catalog;
    this.request = request;
  }

  public void insert(Dataset rows, boolean overwrite) {
    Bridge.result(catalog, "write", request, rows);
  }
}

/** What Spark says of a write, with other options. */
class NamedWrite implements LogicalWriteInfo {
  private final LogicalWriteInfo info;
  private final Map options;

  NamedWrite(LogicalWriteInfo info, Map options) {
    this.info = info;
    this.options = options;
  }

  public CaseInsensitiveStringMap options() {
    return new CaseInsensitiveStringMap(options);
  }

  public String queryId() {
    return info.queryId();
  }

  public org.apache.spark.sql.types.StructType schema() {
    return info.schema();
  }
}
