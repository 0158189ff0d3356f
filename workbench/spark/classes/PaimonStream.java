package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.types.StructType;

/** Hands each batch of a stream to Python as a Dataset. */
public class PaimonStream implements Sink {
  private static final String QUERY = "sql.streaming.queryId";
  private static final String BATCH = "streaming.sql.batchId";

  private final String catalog;
  private final Map writing;
  private final boolean complete;

  public PaimonStream(String catalog, Map writing, boolean complete) {
    this.catalog = catalog;
    this.writing = writing;
    this.complete = complete;
  }

  public void addBatch(long batch, Dataset rows) {
    org.apache.spark.sql.classic.Dataset given = (org.apache.spark.sql.classic.Dataset) rows;
    SparkSession session = (SparkSession) given.sparkSession();
    write(batch, session, given.queryExecution().toRdd(), given.schema());
  }

  /** Writes the rows of the batch that this thread runs. */
  public void addRows(SparkSession session, RDD rows, StructType schema) {
    write(Long.parseLong(property(BATCH)), session, rows, schema);
  }

  private void write(long batch, SparkSession session, RDD rows, StructType schema) {
    Map request = new HashMap();
    request.put("writing", writing);
    request.put("complete", Boolean.valueOf(complete));
    request.put("batch", Long.valueOf(batch));
    request.put("query", property(QUERY));
    // The rows of a batch must not be planned again.
    Bridge.result(catalog, "write_batch", request, session.internalCreateDataFrame(rows, schema, false));
  }

  private static String property(String name) {
    return SparkContext.getOrCreate().getLocalProperty(name);
  }

  public String name() {
    return "paimon";
  }

  public StructType schema() {
    return new StructType();
  }

  public Set capabilities() {
    return new HashSet();
  }
}

/** Writes the rows of a batch, which its child computes, and returns no rows. */
public class BatchExec extends SparkPlan {
  private final PaimonStream sink;
  private final SparkPlan child;

  public BatchExec(PaimonStream sink, SparkPlan child) {
    this.sink = sink;
    this.child = child;
  }

  public RDD doExecute() {
    sink.addRows(session(), child.execute(), child.schema());
    return session().sparkContext().emptyRDD(scala.reflect.ClassTag$.MODULE$.AnyRef());
  }

  public scala.collection.immutable.Seq output() {
    return scala.jdk.javaapi.CollectionConverters.asScala(new ArrayList()).toSeq();
  }

  public scala.collection.immutable.Seq children() {
    List all = new ArrayList();
    all.add(child);
    return scala.jdk.javaapi.CollectionConverters.asScala(all).toSeq();
  }

  public TreeNode withNewChildrenInternal(scala.collection.immutable.IndexedSeq children) {
    return new BatchExec(sink, (SparkPlan) children.apply(0));
  }

  public int productArity() {
    return 2;
  }

  public Object productElement(int at) {
    return at == 0 ? (Object) sink : child;
  }

  public boolean canEqual(Object other) {
    return other instanceof BatchExec;
  }
}
