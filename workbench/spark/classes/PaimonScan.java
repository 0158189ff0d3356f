package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.*;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.*;
import org.apache.spark.sql.execution.datasources.DataSourceStrategy$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable;
import org.apache.spark.sql.internal.connector.SupportsPushDownCatalystFilters;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.*;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Plans a read in Python with the columns, filters, limit and aggregates of the query. Files that need no merge are read
 * by Spark's own Parquet reader, all others by the Python tasks of a DataFrame; metadata alone answers some aggregates.
 */
public class PaimonScan
    implements SupportsPushDownRequiredColumns, SupportsPushDownCatalystFilters, SupportsPushDownLimit,
        SupportsPushDownAggregates {
  private final String catalog;
  private final SupportsReadStreams source;
  private final StructType schema;
  private final List partitions;
  private final Map request;
  private StructType required = null;
  private scala.collection.immutable.Seq filters = null;
  private StructType answerSchema = null;
  private List answer = null;

  /** Creates the scan for a stream, which the Python data source plans, and for statements that only need the size. */
  public interface SupportsReadStreams {
    Scan streamingScan(boolean isStream);
  }

  /** The size of a read, from the metadata of its files; unknown if the files are not planned. */
  public static class Size implements Statistics {
    private final Map planned;

    public Size(Map planned) {
      this.planned = planned;
    }

    public OptionalLong sizeInBytes() {
      return number("bytes");
    }

    public OptionalLong numRows() {
      return number("rows");
    }

    private OptionalLong number(String name) {
      Object value = planned.get(name);
      return value == null ? OptionalLong.empty() : OptionalLong.of(((Number) value).longValue());
    }
  }

  public PaimonScan(String catalog, SupportsReadStreams source, StructType schema, List partitions, Map reading) {
    this.catalog = catalog;
    this.source = source;
    this.schema = schema;
    this.partitions = partitions;
    this.request = new HashMap();
    this.request.put("reading", reading);
  }

  public void pruneColumns(StructType wanted) {
    StructField[] kept = new StructField[wanted.length()];
    for (int at = 0; at < kept.length; at++) {
      // Nested fields are not pruned.
      StructField field = wanted.fields()[at];
      kept[at] = schema.getFieldIndex(field.name()).isDefined() ? schema.apply(field.name()) : field;
    }
    required = new StructType(kept);
  }

  public scala.collection.immutable.Seq pushFilters(scala.collection.immutable.Seq expressions) {
    List given = scala.jdk.javaapi.CollectionConverters.asJava(expressions);
    List described = new ArrayList();
    List exact = new ArrayList();
    for (int at = 0; at < given.size(); at++) {
      org.apache.spark.sql.catalyst.expressions.Expression each =
          (org.apache.spark.sql.catalyst.expressions.Expression) given.get(at);
      scala.Option translated = DataSourceStrategy$.MODULE$.translateFilter(each, true);
      List filter = translated.isDefined() ? Describe.filter((Filter) translated.get()) : null;
      if (filter != null) {
        described.add(filter);
        exact.add(each);
      } else {
        List selected = PartitionFilters.of(catalog, request.get("reading"), partitions, each, SparkSession.active());
        if (selected != null) {
          described.add(selected);
        }
      }
    }
    request.put("filters", described);
    filters = scala.jdk.javaapi.CollectionConverters.asScala(exact).toSeq();
    // The filters prune files and rows; Spark still evaluates them on every row.
    return expressions;
  }

  public Predicate[] pushedFilters() {
    return new Predicate[0];
  }

  public boolean pushLimit(int limit) {
    request.put("limit", Integer.valueOf(limit));
    return true;
  }

  public boolean isPartiallyPushed() {
    return true;
  }

  public boolean supportCompletePushDown(Aggregation aggregation) {
    return answered(aggregation);
  }

  public boolean pushAggregation(Aggregation aggregation) {
    return answered(aggregation);
  }

  private boolean answered(Aggregation aggregation) {
    if (answer != null) {
      return true;
    }
    AggregateFunc[] functions = aggregation.aggregateExpressions();
    org.apache.spark.sql.connector.expressions.Expression[] groups = aggregation.groupByExpressions();
    if (groups.length == 0 && functions.length == 0) {
      return false;
    }
    StructType types = new StructType();
    List names = new ArrayList();
    for (int at = 0; at < groups.length; at++) {
      String name = column(groups[at]);
      if (name == null || !partitions.contains(name)) {
        return false;
      }
      types = types.add(name, schema.apply(name).dataType());
      names.add(name);
    }
    List described = new ArrayList();
    for (int at = 0; at < functions.length; at++) {
      Map found = aggregate(functions[at]);
      if (found == null) {
        return false;
      }
      String column = (String) found.get("column");
      types = types.add("_" + at, column == null || "count".equals(found.get("kind")) ? DataTypes.LongType : schema.apply(column).dataType());
      described.add(found);
    }
    Map wanted = new HashMap(request);
    wanted.put("aggregates", described);
    wanted.put("groups", names);
    Map found = Bridge.result(catalog, "aggregate", wanted, SparkSession.active());
    answer = (List) found.get("rows");
    answerSchema = types;
    return answer != null;
  }

  private Map aggregate(AggregateFunc function) {
    Map found = new HashMap();
    org.apache.spark.sql.connector.expressions.Expression column = null;
    if (function instanceof CountStar) {
      found.put("kind", "count");
    } else if (function instanceof Count && !((Count) function).isDistinct()) {
      found.put("kind", "count");
      column = ((Count) function).column();
    } else if (function instanceof Min) {
      found.put("kind", "min");
      column = ((Min) function).column();
    } else if (function instanceof Max) {
      found.put("kind", "max");
      column = ((Max) function).column();
    } else {
      return null;
    }
    if (column != null) {
      String name = column(column);
      if (name == null) {
        return null;
      }
      found.put("column", name);
    }
    return found;
  }

  /** Returns the name of the column if an expression is a column, otherwise null. */
  private String column(org.apache.spark.sql.connector.expressions.Expression expression) {
    if (!(expression instanceof NamedReference) || ((NamedReference) expression).fieldNames().length > 1) {
      return null;
    }
    String name = ((NamedReference) expression).fieldNames()[0];
    return schema.getFieldIndex(name).isEmpty() ? null : name;
  }

  /** Returns whether a stream builds the scan. Spark does not pass this: only the caller of build() differs. */
  private static boolean isStream() {
    StackTraceElement[] stack = Thread.currentThread().getStackTrace();
    return stack[3].getClassName().startsWith("org.apache.spark.sql.execution.streaming.");
  }

  public Scan build() {
    if (answer != null) {
      return new AnsweredScan(answerSchema, answer);
    }
    boolean isStream = isStream();
    if (required == null || isStream) {
      return source.streamingScan(isStream);
    }
    request.put("columns", required.fieldNames());
    Object session = SparkSession.active();
    Map planned = Bridge.result(catalog, "plan", request, session);
    List paths = (List) planned.get("paths");
    if (paths == null || paths.isEmpty()) {
      return new RowsScan(catalog, request, required, new PaimonScan.Size(planned), (String) planned.get("note"));
    }
    return parquet(paths, (Map) planned.get("options"), (org.apache.spark.sql.classic.SparkSession) session);
  }

  private Scan parquet(List paths, Map reading, org.apache.spark.sql.classic.SparkSession session) {
    Map options = new HashMap(reading);
    options.put("__globPaths__", "false");
    CaseInsensitiveStringMap given = new CaseInsensitiveStringMap(options);
    ParquetTable table = new ParquetTable("paimon", session, given,
        scala.jdk.javaapi.CollectionConverters.asScala(paths).toSeq(), scala.Option.apply(schema), ParquetFileFormat.class);
    ParquetScanBuilder builder = table.newScanBuilder(given);
    builder.pushFilters(withoutReals());
    builder.pruneColumns(required);
    return builder.build();
  }

  /** Returns the filters except those on FLOAT and DOUBLE: Parquet statistics exclude NaN, Spark's largest number. */
  private scala.collection.immutable.Seq withoutReals() {
    List kept = new ArrayList();
    List all = filters == null ? new ArrayList() : scala.jdk.javaapi.CollectionConverters.asJava(filters);
    for (int at = 0; at < all.size(); at++) {
      org.apache.spark.sql.catalyst.expressions.Expression each =
          (org.apache.spark.sql.catalyst.expressions.Expression) all.get(at);
      boolean real = false;
      for (scala.collection.Iterator names = each.references().iterator(); names.hasNext(); ) {
        DataType type = ((org.apache.spark.sql.catalyst.expressions.Attribute) names.next()).dataType();
        real = real || type.equals(DataTypes.FloatType) || type.equals(DataTypes.DoubleType);
      }
      if (!real) {
        kept.add(each);
      }
    }
    return scala.jdk.javaapi.CollectionConverters.asScala(kept).toSeq();
  }
}

/** The rows of a DataFrame that Python creates for the read. */
class RowsScan implements V1Scan, SupportsReportStatistics {
  private final String catalog;
  private final Map request;
  private final StructType schema;
  private final Statistics size;
  private final String note;

  RowsScan(String catalog, Map request, StructType schema, Statistics size, String note) {
    this.catalog = catalog;
    this.request = request;
    this.schema = schema;
    this.size = size;
    this.note = note == null ? "" : note;
  }

  public Statistics estimateStatistics() {
    return size;
  }

  public StructType readSchema() {
    return schema;
  }

  public String description() {
    return "Paimon rows of " + request.get("reading");
  }

  public BaseRelation toV1TableScan(SQLContext context) {
    return new RowsRelation(catalog, request, schema, context, note);
  }
}

class RowsRelation extends BaseRelation implements TableScan {
  private final String catalog;
  private final Map request;
  private final StructType schema;
  private final SQLContext context;
  private final String note;

  RowsRelation(String catalog, Map request, StructType schema, SQLContext context, String note) {
    this.catalog = catalog;
    this.request = request;
    this.schema = schema;
    this.context = context;
    this.note = note;
  }

  /** Returns what plans show. */
  public String toString() {
    return note.isEmpty() ? "Paimon rows" : "Paimon rows, " + note;
  }

  public SQLContext sqlContext() {
    return context;
  }

  public StructType schema() {
    return schema;
  }

  public boolean needConversion() {
    return false;
  }

  public RDD buildScan() {
    org.apache.spark.sql.classic.Dataset rows =
        (org.apache.spark.sql.classic.Dataset) Bridge.rows(catalog, "rows", request, context.sparkSession());
    if (!rows.schema().catalogString().equals(schema.catalogString())) {
      // The rows are not converted: Spark would take the bytes of one type for those of another.
      throw new IllegalStateException(
          "The columns of the table have changed since Spark planned the statement. Run the statement again.");
    }
    return rows.queryExecution().toRdd();
  }
}

/** Aggregates that the metadata answers. */
class AnsweredScan implements LocalScan {
  private final StructType schema;
  private final List answer;

  AnsweredScan(StructType schema, List answer) {
    this.schema = schema;
    this.answer = answer;
  }

  public StructType readSchema() {
    return schema;
  }

  public InternalRow[] rows() {
    InternalRow[] all = new InternalRow[answer.size()];
    for (int at = 0; at < all.length; at++) {
      List values = (List) answer.get(at);
      Object[] row = new Object[values.size()];
      for (int column = 0; column < row.length; column++) {
        row[column] = PartitionFilters.converted(values.get(column), schema.fields()[column].dataType());
      }
      all[at] = new GenericInternalRow(row);
    }
    return all;
  }
}
