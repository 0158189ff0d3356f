package workbench;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** The functions in the database "sys". */
public class Functions {
  /** Returns all functions, ordered by name. */
  public static UnboundFunction[] all(String catalog) {
    return new UnboundFunction[] {
      new Buckets("bucket", new DefaultBuckets()),
      new OfOneArgument(new DescriptorToString()),
      new Buckets("hive_bucket", new HiveBuckets()),
      new OfOneArgument(new MaxPartition(catalog)),
      new Buckets("mod_bucket", new ModBuckets()),
      new OfOneArgument(new PathToDescriptor()),
    };
  }

  /** Returns a function by its name in any case, or null. */
  public static UnboundFunction find(String catalog, String name) {
    UnboundFunction[] all = all(catalog);
    for (int at = 0; at < all.length; at++) {
      if (all[at].name().equalsIgnoreCase(name)) {
        return all[at];
      }
    }
    return null;
  }
}

/** A function of one argument, of the type that the function declares. */
class OfOneArgument implements UnboundFunction {
  private final ScalarFunction function;

  OfOneArgument(ScalarFunction function) {
    this.function = function;
  }

  public BoundFunction bind(StructType given) {
    DataType wanted = function.inputTypes()[0];
    if (given.length() != 1 || !given.fields()[0].dataType().equals(wanted)) {
      throw new UnsupportedOperationException(
          "The argument of sys." + name() + " must be one value of type " + wanted.sql() + ".");
    }
    return function;
  }

  public String name() {
    return function.name();
  }

  public String description() {
    return function.name();
  }
}

/** The largest value of a table's first partition column. Spark computes it once, when it plans the query. */
class MaxPartition implements ScalarFunction {
  private final String catalog;

  MaxPartition(String catalog) {
    this.catalog = catalog;
  }

  public DataType[] inputTypes() {
    return new DataType[] {DataTypes.StringType};
  }

  public DataType resultType() {
    return DataTypes.StringType;
  }

  public boolean isResultNullable() {
    return false;
  }

  public String name() {
    return "max_pt";
  }

  public String canonicalName() {
    return "workbench.max_pt";
  }

  public Object produceResult(InternalRow input) {
    Map request = new HashMap();
    request.put("table", input.getUTF8String(0).toString());
    return UTF8String.fromString((String) Bridge.result(catalog, "max_pt", request, SparkSession.active()).get("value"));
  }
}

/** A reference to a whole file. */
class PathToDescriptor implements ScalarFunction {
  static final byte VERSION = 2;
  static final long MAGIC = 0x424C4F4244455343L;

  public DataType[] inputTypes() {
    return new DataType[] {DataTypes.StringType};
  }

  public DataType resultType() {
    return DataTypes.BinaryType;
  }

  public String name() {
    return "path_to_descriptor";
  }

  public String canonicalName() {
    return "workbench.path_to_descriptor";
  }

  public Object produceResult(InternalRow input) {
    if (input.isNullAt(0)) {
      return null;
    }
    byte[] path = input.getUTF8String(0).getBytes();
    ByteBuffer bytes = ByteBuffer.allocate(29 + path.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(VERSION).putLong(MAGIC).putInt(path.length).put(path).putLong(0L).putLong(-1L);
    return bytes.array();
  }
}

/** The parts of a reference as a string. */
class DescriptorToString implements ScalarFunction {
  public DataType[] inputTypes() {
    return new DataType[] {DataTypes.BinaryType};
  }

  public DataType resultType() {
    return DataTypes.StringType;
  }

  public String name() {
    return "descriptor_to_string";
  }

  public String canonicalName() {
    return "workbench.descriptor_to_string";
  }

  public Object produceResult(InternalRow input) {
    if (input.isNullAt(0)) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(input.getBinary(0)).order(ByteOrder.LITTLE_ENDIAN);
    try {
      byte version = bytes.get();
      if (version > PathToDescriptor.VERSION || version > 1 && bytes.getLong() != PathToDescriptor.MAGIC) {
        throw new IllegalArgumentException("The bytes are not a reference to a file that this version knows.");
      }
      byte[] uri = new byte[Math.min(bytes.getInt(), bytes.remaining())];
      bytes.get(uri);
      String text = new String(uri, StandardCharsets.UTF_8);
      return UTF8String.fromString("BlobDescriptor{version=" + version + ", uri='" + text + "', offset="
          + bytes.getLong() + ", length=" + bytes.getLong() + "}");
    } catch (java.nio.BufferUnderflowException error) {
      throw new IllegalArgumentException("The bytes are not a reference to a file: they are too short.");
    }
  }
}
