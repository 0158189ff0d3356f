package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.filter.AlwaysFalse;
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.write.*;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.PredicateUtils$;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Hands the rows of a write to Python as a Dataset. */
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

  public boolean canOverwrite(Predicate[] given) {
    Filter[] filters = filters(given);
    return filters.length == given.length && canOverwrite(filters);
  }

  public WriteBuilder overwrite(Predicate[] given) {
    return overwrite(filters(given));
  }

  /** Returns the filters of predicates, without those that are not filters. */
  private static Filter[] filters(Predicate[] given) {
    List found = new ArrayList();
    for (int at = 0; at < given.length; at++) {
      boolean compares = given[at].name().equals("<=>") || given[at].name().equals("IN");
      Predicate plain = compares ? withLiterals(given[at]) : given[at];
      scala.Option filter = PredicateUtils$.MODULE$.toV1(plain);
      if (filter.isDefined()) {
        found.add(filter.get());
      }
    }
    return (Filter[]) found.toArray(new Filter[0]);
  }

  /** Returns a comparison with literals in place of the predicates that Spark makes of TRUE and FALSE. */
  private static Predicate withLiterals(Predicate comparison) {
    Expression[] children = (Expression[]) comparison.children().clone();
    for (int at = 0; at < children.length; at++) {
      if (children[at] instanceof AlwaysTrue || children[at] instanceof AlwaysFalse) {
        children[at] = new LiteralValue(Boolean.valueOf(children[at] instanceof AlwaysTrue), DataTypes.BooleanType);
      }
    }
    return new Predicate(comparison.name(), children);
  }

  public boolean canOverwrite(Filter[] given) {
    for (int at = 0; at < given.length; at++) {
      if (Describe.partition(given[at]) == null) {
        return false;
      }
    }
    return true;
  }

  public WriteBuilder overwrite(Filter[] given) {
    mode = "overwrite";
    for (int at = 0; at < given.length; at++) {
      filters.add(Describe.partition(given[at]));
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
    return new RowsWrite(catalog, request, source, new NamedWrite(info, writing));
  }
}

/** A write of a Dataset, or of the batches of a stream. */
public class RowsWrite implements V1Write {
  private final String catalog;
  private final Map request;
  private final SupportsWrite source;
  private final LogicalWriteInfo info;

  RowsWrite(String catalog, Map request, SupportsWrite source, LogicalWriteInfo info) {
    this.catalog = catalog;
    this.request = request;
    this.source = source;
    this.info = info;
  }

  public InsertableRelation toInsertableRelation() {
    return new RowsInsert(catalog, request);
  }

  /** Spark requests a batch if PaimonStrategy does not plan the write, as in sessions without this strategy. */
  public BatchWrite toBatch() {
    return byTasks().toBatch();
  }

  public StreamingWrite toStreaming() {
    return new StreamRows(new PaimonStream(catalog, (Map) request.get("writing"), !appends()), this);
  }

  /** Returns the write of the Python data source, whose tasks write without a shuffle. */
  Write byTasks() {
    WriteBuilder builder = source.newWriteBuilder(info);
    return appends() ? builder.build() : ((SupportsTruncate) builder).truncate().build();
  }

  private boolean appends() {
    return "append".equals(request.get("mode"));
  }
}

/**
 * The write of a stream into a table of the catalog. PaimonStrategy plans its batches as a BatchExec; in sessions
 * without it, the tasks of the Python data source write them.
 */
public class StreamRows implements StreamingWrite {
  public final PaimonStream sink;
  private final RowsWrite write;
  private StreamingWrite tasks;

  StreamRows(PaimonStream sink, RowsWrite write) {
    this.sink = sink;
    this.write = write;
  }

  private StreamingWrite tasks() {
    if (tasks == null) {
      tasks = write.byTasks().toStreaming();
    }
    return tasks;
  }

  public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
    return tasks().createStreamingWriterFactory(info);
  }

  public boolean useCommitCoordinator() {
    return tasks().useCommitCoordinator();
  }

  public void commit(long batch, WriterCommitMessage[] messages) {
    tasks().commit(batch, messages);
  }

  public void abort(long batch, WriterCommitMessage[] messages) {
    tasks().abort(batch, messages);
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

/** Spark's information about a write, with different options. */
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
