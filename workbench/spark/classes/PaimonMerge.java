package workbench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.NullsFirst$;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Merges sorted runs of Parquet files, keeping the newest row of each key. Spark's own reader reads the files; rows
 * that a newer row replaces are never copied.
 */
public class PaimonMerge {
  /**
   * Returns the merged rows of files.
   *
   * @param types the columns to read from the files: {@code keys} key columns, the sequence number, the kind, others
   * @param tasks a JSON array of the tasks; a task is an array of sections, a section is an array of runs, the oldest
   *     first, a run is an array of files, and a file is a path and a size
   * @param columns the positions, among the columns to read, of the columns to return, as a JSON array
   */
  public Dataset rows(SparkSession session, String types, int keys, String tasks, String columns) throws IOException {
    StructType stored = (StructType) StructType.fromJson(types);
    ObjectMapper mapper = new ObjectMapper();
    List wanted = (List) mapper.readValue(columns, List.class);
    StructType schema = new StructType();
    for (int at = 0; at < wanted.size(); at++) {
      schema = schema.add(stored.fields()[((Integer) wanted.get(at)).intValue()]);
    }
    Map options = new HashMap();
    options.put("returning_batch", "false");
    scala.collection.immutable.Map given = scala.collection.immutable.Map$.MODULE$.from(scala.jdk.javaapi.CollectionConverters.asScala(options));
    scala.Function1 reader = new ParquetFileFormat().buildReaderWithPartitionValues(
        session, stored, new StructType(), stored, (scala.collection.immutable.Seq) scala.collection.immutable.Seq$.MODULE$.empty(), given,
        session.sessionState().newHadoopConfWithOptions(given));
    List sections = (List) mapper.readValue(tasks, List.class);
    RDD rows = new MergedRows(session.sparkContext(), reader, sections, stored, keys, wanted);
    return session.internalCreateDataFrame(rows, schema, false);
  }
}

/** The merged rows of the tasks. */
class MergedRows extends RDD {
  private final scala.Function1 reader;
  private final List tasks;
  private final StructType stored;
  private final int keys;
  private final List wanted;

  MergedRows(org.apache.spark.SparkContext context, scala.Function1 reader, List tasks, StructType stored, int keys, List wanted) {
    super(context, (scala.collection.immutable.Seq) scala.collection.immutable.Seq$.MODULE$.empty(), scala.reflect.ClassTag$.MODULE$.apply(InternalRow.class));
    this.reader = reader;
    this.tasks = tasks;
    this.stored = stored;
    this.keys = keys;
    this.wanted = wanted;
  }

  public Partition[] getPartitions() {
    Partition[] found = new Partition[tasks.size()];
    for (int at = 0; at < found.length; at++) {
      found[at] = new FilePartition(at, new PartitionedFile[0]);
    }
    return found;
  }

  public scala.collection.Iterator compute(Partition task, TaskContext context) {
    return new Merging(reader, (List) tasks.get(task.index()), stored, keys, wanted);
  }
}

/** A sorted run: its rows one after another, each valid until the next one is read. */
class SortedRun {
  final int age;
  InternalRow row = null;
  private final scala.Function1 reader;
  private final List files;
  private int next = 0;
  private scala.collection.Iterator rows = null;

  SortedRun(scala.Function1 reader, List files, int age) {
    this.reader = reader;
    this.files = files;
    this.age = age;
  }

  /** Reads the next row, and returns whether there is one. */
  boolean advance() {
    while (rows == null || !rows.hasNext()) {
      if (next == files.size()) {
        row = null;
        return false;
      }
      List file = (List) files.get(next++);
      long size = ((Number) file.get(1)).longValue();
      scala.collection.immutable.Map none = (scala.collection.immutable.Map) scala.collection.immutable.Map$.MODULE$.empty();
      rows = (scala.collection.Iterator) reader.apply(
          new PartitionedFile(InternalRow.empty(), SparkPath.fromPathString((String) file.get(0)), 0L, size, new String[0], 0L, size, none));
    }
    row = (InternalRow) rows.next();
    return true;
  }
}

/** Merges the runs of one section after another with a heap, and returns only the newest row of each key. */
class Merging extends scala.collection.AbstractIterator {
  private final scala.Function1 reader;
  private final List sections;
  private final int keys;
  private final LazilyGeneratedOrdering order;
  private final UnsafeProjection projection;
  private int section = 0;
  private SortedRun[] heap = new SortedRun[0];
  private int size = 0;
  private boolean used = false;
  private InternalRow found = null;

  Merging(scala.Function1 reader, List sections, StructType stored, int keys, List wanted) {
    this.reader = reader;
    this.sections = sections;
    this.keys = keys;
    List orders = new ArrayList();
    for (int at = 0; at < keys; at++) {
      orders.add(new SortOrder(column(stored, at), Ascending$.MODULE$, NullsFirst$.MODULE$, (scala.collection.immutable.Seq) scala.collection.immutable.Seq$.MODULE$.empty()));
    }
    List columns = new ArrayList();
    for (int at = 0; at < wanted.size(); at++) {
      columns.add(column(stored, ((Integer) wanted.get(at)).intValue()));
    }
    order = new LazilyGeneratedOrdering(scala.jdk.javaapi.CollectionConverters.asScala(orders).toSeq());
    projection = UnsafeProjection.create(scala.jdk.javaapi.CollectionConverters.asScala(columns).toSeq());
  }

  private static BoundReference column(StructType stored, int at) {
    StructField field = stored.fields()[at];
    return new BoundReference(at, field.dataType(), field.nullable());
  }

  public boolean hasNext() {
    while (found == null && winner()) {
      SortedRun newest = heap[0];
      int kind = newest.row.getByte(keys + 1);
      // The kinds are +I, -U, +U and -D.
      if (kind == 0 || kind == 2) {
        found = projection.apply(newest.row);
      }
    }
    return found != null;
  }

  public Object next() {
    if (!hasNext()) {
      throw new java.util.NoSuchElementException();
    }
    InternalRow row = found;
    found = null;
    return row;
  }

  /** Moves the newest row of the next key to the top of the heap, and skips all other rows of that key. */
  private boolean winner() {
    if (used) {
      replaceTop(0);
    }
    while (size == 0) {
      if (section == sections.size()) {
        return false;
      }
      open((List) sections.get(section++));
    }
    used = true;
    // Rows of the same key are directly below the top.
    while (isSame(1) || isSame(2)) {
      replaceTop(isSame(1) ? 1 : 2);
    }
    return true;
  }

  private boolean isSame(int at) {
    return at < size && order.compare(heap[at].row, heap[0].row) == 0;
  }

  private void open(List runs) {
    used = false;
    heap = new SortedRun[runs.size()];
    for (int at = 0; at < heap.length; at++) {
      SortedRun run = new SortedRun(reader, (List) runs.get(at), at);
      if (run.advance()) {
        heap[size++] = run;
      }
    }
    for (int at = size / 2 - 1; at >= 0; at--) {
      sink(at);
    }
  }

  /** Reads the next row of the run at a position in the heap. */
  private void replaceTop(int at) {
    if (!heap[at].advance()) {
      heap[at] = heap[--size];
      heap[size] = null;
    }
    if (at < size) {
      sink(at);
    }
  }

  private void sink(int at) {
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isBefore(heap[child], heap[at])) {
        return;
      }
      SortedRun moved = heap[at];
      heap[at] = heap[child];
      heap[child] = moved;
      at = child;
    }
  }

  /** Returns whether a row comes before another: ordered by key, and the newest row of a key first. */
  private boolean isBefore(SortedRun one, SortedRun other) {
    int result = order.compare(one.row, other.row);
    if (result == 0) {
      result = Long.compare(other.row.getLong(keys), one.row.getLong(keys));
    }
    return result == 0 ? one.age > other.age : result < 0;
  }
}
