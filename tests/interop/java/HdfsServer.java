import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** A name node and a data node: HdfsServer DIRECTORY PORT. */
public final class HdfsServer {
  public static void main(String[] arguments) throws Exception {
    Configuration options = new Configuration();
    options.set("hdfs.minidfs.basedir", arguments[0]);
    options.set("dfs.permissions.enabled", "false");
    options.set("dfs.replication", "1");
    options.set("dfs.namenode.fs-limits.min-block-size", "1024");
    options.set("dfs.datanode.hostname", "127.0.0.1");
    options.set("dfs.client.use.datanode.hostname", "true");
    int port = Integer.parseInt(arguments[1]);
    new MiniDFSCluster.Builder(options).numDataNodes(1).nameNodePort(port).format(true).build().waitActive();
    Thread.sleep(Long.MAX_VALUE);
  }
}
