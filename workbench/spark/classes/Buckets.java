package workbench;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/** A function of the number of buckets and the columns of a bucket key, which returns the bucket (format 11.2). */
public class Buckets implements UnboundFunction {
  private final String name;
  private final BucketRule rule;

  Buckets(String name, BucketRule rule) {
    this.name = name;
    this.rule = rule;
  }

  public BoundFunction bind(StructType given) {
    StructField[] fields = given.fields();
    if (fields.length < 2 || !fields[0].dataType().equals(DataTypes.IntegerType)) {
      throw new UnsupportedOperationException(
          "The arguments of sys." + name + " must be the number of buckets, an INT, and the columns of the bucket key.");
    }
    DataType[] types = new DataType[fields.length];
    for (int at = 0; at < types.length; at++) {
      types[at] = fields[at].dataType();
      if (at > 0 && !rule.takes(types[at], types.length)) {
        throw new UnsupportedOperationException(
            "sys." + name + " cannot compute the bucket of a key of type " + types[at].sql() + ".");
      }
    }
    return new BucketOfRow(name, types, rule);
  }

  public String name() {
    return name;
  }

  public String description() {
    return name;
  }
}

/** How the values of a bucket key determine the bucket. The key begins at position 1 of a row. */
abstract class BucketRule implements Serializable {
  /** Returns whether a column of this type can be in a key, given the number of all arguments. */
  abstract boolean takes(DataType type, int arguments);

  abstract int bucket(InternalRow input, DataType[] types, int buckets);
}

class BucketOfRow implements ScalarFunction {
  private final String name;
  private final DataType[] types;
  private final BucketRule rule;

  BucketOfRow(String name, DataType[] types, BucketRule rule) {
    this.name = name;
    this.types = types;
    this.rule = rule;
  }

  public DataType[] inputTypes() {
    return types;
  }

  public DataType resultType() {
    return DataTypes.IntegerType;
  }

  public boolean isResultNullable() {
    return false;
  }

  public String name() {
    return name;
  }

  public String canonicalName() {
    StringBuilder text = new StringBuilder("workbench." + name + "(int");
    for (int at = 1; at < types.length; at++) {
      text.append(", ").append(types[at].catalogString());
    }
    return text.append(")").toString();
  }

  public Object produceResult(InternalRow input) {
    int buckets = input.isNullAt(0) ? 0 : input.getInt(0);
    if (buckets < 1) {
      throw new IllegalArgumentException("The number of buckets of sys." + name + " must be at least 1.");
    }
    return Integer.valueOf(rule.bucket(input, types, buckets));
  }
}

/** The remainder of a number; null counts as 0. */
class ModBuckets extends BucketRule {
  boolean takes(DataType type, int arguments) {
    return arguments == 2 && (type instanceof IntegerType || type instanceof LongType);
  }

  int bucket(InternalRow input, DataType[] types, int buckets) {
    if (input.isNullAt(1)) {
      return 0;
    }
    long value = types[1] instanceof LongType ? input.getLong(1) : input.getInt(1);
    return (int) Math.floorMod(value, (long) buckets);
  }
}

/** The hash that Hive computes; null hashes to 0. */
class HiveBuckets extends BucketRule {
  boolean takes(DataType type, int arguments) {
    return BinaryRows.takes(type) && !(type instanceof TimestampType) && !(type instanceof TimestampNTZType);
  }

  int bucket(InternalRow input, DataType[] types, int buckets) {
    int hash = 0;
    for (int at = 1; at < types.length; at++) {
      hash = 31 * hash + (input.isNullAt(at) ? 0 : hash(input, at, types[at]));
    }
    return (hash & Integer.MAX_VALUE) % buckets;
  }

  private static int hash(InternalRow input, int at, DataType type) {
    if (type instanceof StringType) {
      return hash(input.getUTF8String(at).getBytes());
    } else if (type instanceof BinaryType) {
      return hash(input.getBinary(at));
    } else if (type instanceof DecimalType) {
      DecimalType decimal = (DecimalType) type;
      BigDecimal value = input.getDecimal(at, decimal.precision(), decimal.scale()).toJavaBigDecimal();
      value = value.stripTrailingZeros();
      return (value.scale() < 0 || value.signum() == 0 ? value.setScale(0) : value).hashCode();
    } else if (type instanceof FloatType) {
      float value = input.getFloat(at);
      return value == 0 ? 0 : Float.floatToIntBits(value);
    } else if (type instanceof DoubleType) {
      double value = input.getDouble(at);
      return value == 0 ? 0 : hash(Double.doubleToLongBits(value));
    }
    long value = BinaryRows.number(input, at, type);
    return type instanceof LongType ? hash(value) : (int) value;
  }

  private static int hash(long value) {
    return (int) (value >>> 32 ^ value);
  }

  private static int hash(byte[] bytes) {
    int hash = 0;
    for (int at = 0; at < bytes.length; at++) {
      hash = 31 * hash + bytes[at];
    }
    return hash;
  }
}

/** The hash of the key's bytes as a BinaryRow. */
class DefaultBuckets extends BucketRule {
  static final int SEED = 42;

  boolean takes(DataType type, int arguments) {
    return BinaryRows.takes(type);
  }

  int bucket(InternalRow input, DataType[] types, int buckets) {
    byte[] row = new BinaryRows(types.length - 1).bytes(input, types);
    return Math.abs(Murmur3_x86_32.hashUnsafeWords(row, Platform.BYTE_ARRAY_OFFSET, row.length, SEED) % buckets);
  }
}

/** Writes one BinaryRow: null bits, eight bytes for each field, then the data that does not fit there (format 9). */
class BinaryRows {
  static final int COMPACT_DECIMAL = 18;
  static final int INLINE_BYTES = 7;

  private final int header;
  private final ByteBuffer slots;
  private final ByteArrayOutputStream tail = new ByteArrayOutputStream();

  BinaryRows(int fields) {
    header = (fields + 63 + 8) / 64 * 8;
    slots = ByteBuffer.allocate(header + 8 * fields).order(ByteOrder.LITTLE_ENDIAN);
  }

  static boolean takes(DataType type) {
    return isNumber(type) || type instanceof FloatType || type instanceof DoubleType || type instanceof DecimalType
        || type instanceof StringType || type instanceof BinaryType || type instanceof TimestampType
        || type instanceof TimestampNTZType;
  }

  private static boolean isNumber(DataType type) {
    return type instanceof BooleanType || type instanceof ByteType || type instanceof ShortType
        || type instanceof IntegerType || type instanceof LongType || type instanceof DateType;
  }

  /** Returns an integer; a BOOLEAN is 0 or 1, and a DATE is its number of days. */
  static long number(InternalRow input, int at, DataType type) {
    if (type instanceof BooleanType) {
      return input.getBoolean(at) ? 1 : 0;
    } else if (type instanceof ByteType) {
      return input.getByte(at);
    } else if (type instanceof ShortType) {
      return input.getShort(at);
    }
    return type instanceof LongType ? input.getLong(at) : input.getInt(at);
  }

  /** Returns the bytes of the values, starting at position 1. */
  byte[] bytes(InternalRow input, DataType[] types) {
    for (int at = 1; at < types.length; at++) {
      int bit = at - 1 + 8;
      if (input.isNullAt(at)) {
        slots.put(bit / 8, (byte) (slots.get(bit / 8) | 1 << bit % 8));
        reserve(header + 8 * (at - 1), types[at]);
      } else {
        write(header + 8 * (at - 1), input, at, types[at]);
      }
    }
    byte[] rest = tail.toByteArray();
    return ByteBuffer.allocate(slots.capacity() + rest.length).put(slots.array()).put(rest).array();
  }

  /** Reserves the space of a null value whose type always has bytes after the slots. */
  private void reserve(int slot, DataType type) {
    if (type instanceof TimestampType || type instanceof TimestampNTZType) {
      append(slot, new byte[8], 8, 0);
    } else if (type instanceof DecimalType && ((DecimalType) type).precision() > COMPACT_DECIMAL) {
      append(slot, new byte[16], 16, 0);
    }
  }

  private void write(int slot, InternalRow input, int at, DataType type) {
    if (type instanceof StringType) {
      writeBytes(slot, input.getUTF8String(at).getBytes());
    } else if (type instanceof BinaryType) {
      writeBytes(slot, input.getBinary(at));
    } else if (type instanceof TimestampType || type instanceof TimestampNTZType) {
      long micros = input.getLong(at);
      byte[] millis = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(Math.floorDiv(micros, 1000L)).array();
      append(slot, millis, 8, (int) Math.floorMod(micros, 1000L) * 1000);
    } else if (type instanceof DecimalType) {
      writeDecimal(slot, input, at, (DecimalType) type);
    } else if (type instanceof DoubleType) {
      slots.putDouble(slot, input.getDouble(at));
    } else if (type instanceof FloatType) {
      slots.putFloat(slot, input.getFloat(at));
    } else if (type instanceof LongType) {
      slots.putLong(slot, input.getLong(at));
    } else if (type instanceof ShortType) {
      slots.putShort(slot, input.getShort(at));
    } else if (type instanceof IntegerType || type instanceof DateType) {
      slots.putInt(slot, input.getInt(at));
    } else {
      slots.put(slot, (byte) number(input, at, type));
    }
  }

  private void writeDecimal(int slot, InternalRow input, int at, DecimalType type) {
    BigDecimal value = input.getDecimal(at, type.precision(), type.scale()).toJavaBigDecimal();
    byte[] unscaled = value.setScale(type.scale()).unscaledValue().toByteArray();
    if (type.precision() <= COMPACT_DECIMAL) {
      slots.putLong(slot, value.setScale(type.scale()).unscaledValue().longValue());
    } else {
      append(slot, unscaled, 16, unscaled.length);
    }
  }

  private void writeBytes(int slot, byte[] bytes) {
    if (bytes.length > INLINE_BYTES) {
      append(slot, bytes, (bytes.length + 7) / 8 * 8, bytes.length);
      return;
    }
    for (int at = 0; at < bytes.length; at++) {
      slots.put(slot + at, bytes[at]);
    }
    slots.put(slot + INLINE_BYTES, (byte) (0x80 | bytes.length));
  }

  /** Adds bytes, padded to a size, after the slots; the slot holds their offset and a number. */
  private void append(int slot, byte[] bytes, int size, int number) {
    slots.putLong(slot, (long) (slots.capacity() + tail.size()) << 32 | number);
    tail.write(bytes, 0, bytes.length);
    tail.write(new byte[size - bytes.length], 0, size - bytes.length);
  }
}
