package workbench;

import java.util.ArrayList;
import java.util.List;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwritePartitionsDynamic;
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.write.V1Write;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.datasources.v2.AppendDataExecV1;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.WriteToDataSourceV2;
import org.apache.spark.sql.execution.streaming.sources.MicroBatchWrite;

/**
 * Plans writes that Spark itself cannot plan as the write of a Dataset: row changes and dynamic partition overwrites,
 * which are planned as an append, and batches of streams.
 */
public class PaimonStrategy extends SparkStrategy {
  private SparkSession session;

  /** Adds the strategy to a session. */
  public void install(SparkSession given) {
    session = given;
    List all = new ArrayList(scala.jdk.javaapi.CollectionConverters.asJava(given.experimental().extraStrategies()));
    for (int at = 0; at < all.size(); at++) {
      if (all.get(at) instanceof PaimonStrategy) {
        return;
      }
    }
    all.add(this);
    given.experimental().extraStrategies_$eq(scala.jdk.javaapi.CollectionConverters.asScala(all).toSeq());
  }

  public scala.collection.immutable.Seq apply(LogicalPlan plan) {
    List plans = new ArrayList();
    if (plan instanceof WriteDelta && ((WriteDelta) plan).write().isDefined()) {
      WriteDelta delta = (WriteDelta) plan;
      Object write = delta.write().get();
      if (write instanceof ChangeWrite) {
        // By position, because the compiler sees two methods table() with different types.
        DataSourceV2Relation changed = (DataSourceV2Relation) ((scala.Product) delta).productElement(0);
        Refresh refresh = new Refresh(session, changed);
        SupportsWrite table = (SupportsWrite) changed.table();
        plans.add(new AppendDataExecV1(table, delta.query(), refresh, (V1Write) write));
      }
    }
    if (plan instanceof OverwritePartitionsDynamic && ((OverwritePartitionsDynamic) plan).write().isDefined()) {
      OverwritePartitionsDynamic overwrite = (OverwritePartitionsDynamic) plan;
      Object write = overwrite.write().get();
      if (write instanceof RowsWrite) {
        DataSourceV2Relation changed = (DataSourceV2Relation) ((scala.Product) overwrite).productElement(0);
        SupportsWrite table = (SupportsWrite) changed.table();
        plans.add(new AppendDataExecV1(table, overwrite.query(), new Refresh(session, changed), (V1Write) write));
      }
    }
    if (plan instanceof WriteToDataSourceV2 && ((WriteToDataSourceV2) plan).batchWrite() instanceof MicroBatchWrite) {
      MicroBatchWrite batch = (MicroBatchWrite) ((WriteToDataSourceV2) plan).batchWrite();
      if (batch.writeSupport() instanceof StreamRows) {
        PaimonStream sink = ((StreamRows) batch.writeSupport()).sink;
        plans.add(new BatchExec(sink, planLater(((WriteToDataSourceV2) plan).query())));
      }
    }
    return scala.jdk.javaapi.CollectionConverters.asScala(plans).toSeq();
  }
}

/** Recomputes cached queries of a table: those that name it, because every plan has a table of its own. */
class Refresh extends scala.runtime.AbstractFunction0 {
  private final SparkSession session;
  private final DataSourceV2Relation table;

  Refresh(SparkSession session, DataSourceV2Relation table) {
    this.session = session;
    this.table = table;
  }

  public Object apply() {
    if (table.catalog().isDefined() && !session.sharedState().cacheManager().isEmpty()) {
      Identifier name = (Identifier) table.identifier().get();
      StringBuilder path = new StringBuilder(quoted(((CatalogPlugin) table.catalog().get()).name()));
      for (int at = 0; at < name.namespace().length; at++) {
        path.append('.').append(quoted(name.namespace()[at]));
      }
      session.catalog().refreshTable(path.append('.').append(quoted(name.name())).toString());
    }
    return scala.runtime.BoxedUnit.UNIT;
  }

  private static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
