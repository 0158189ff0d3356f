package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.sources.*;

/** Changes of a table, and filters of a query, as JSON objects. */
public class Describe {
  public static Map change(TableChange change) {
    Map found = new HashMap();
    found.put("kind", change.getClass().getSimpleName());
    if (change instanceof TableChange.SetProperty) {
      found.put("key", ((TableChange.SetProperty) change).property());
      found.put("value", ((TableChange.SetProperty) change).value());
    } else if (change instanceof TableChange.RemoveProperty) {
      found.put("key", ((TableChange.RemoveProperty) change).property());
    } else if (change instanceof TableChange.ColumnChange) {
      found.put("path", ((TableChange.ColumnChange) change).fieldNames());
      column(change, found);
    }
    return found;
  }

  private static void column(TableChange change, Map found) {
    if (change instanceof TableChange.AddColumn) {
      TableChange.AddColumn added = (TableChange.AddColumn) change;
      found.put("type", added.dataType().json());
      found.put("nullable", Boolean.valueOf(added.isNullable()));
      found.put("comment", added.comment());
      position(added.position(), found);
    } else if (change instanceof TableChange.RenameColumn) {
      found.put("new_name", ((TableChange.RenameColumn) change).newName());
    } else if (change instanceof TableChange.UpdateColumnType) {
      found.put("type", ((TableChange.UpdateColumnType) change).newDataType().json());
    } else if (change instanceof TableChange.UpdateColumnNullability) {
      found.put("nullable", Boolean.valueOf(((TableChange.UpdateColumnNullability) change).nullable()));
    } else if (change instanceof TableChange.UpdateColumnComment) {
      found.put("comment", ((TableChange.UpdateColumnComment) change).newComment());
    } else if (change instanceof TableChange.UpdateColumnDefaultValue) {
      found.put("default", ((TableChange.UpdateColumnDefaultValue) change).newDefaultValue());
    } else if (change instanceof TableChange.UpdateColumnPosition) {
      position(((TableChange.UpdateColumnPosition) change).position(), found);
    } else if (change instanceof TableChange.DeleteColumn) {
      found.put("if_exists", ((TableChange.DeleteColumn) change).ifExists());
    }
  }

  private static void position(TableChange.ColumnPosition position, Map found) {
    if (position instanceof TableChange.After) {
      found.put("after", ((TableChange.After) position).column());
    } else if (position != null) {
      found.put("first", Boolean.TRUE);
    }
  }

  /** Returns the properties that changes of a database set; the value of a property that is removed is null. */
  public static Map properties(NamespaceChange[] changes) {
    Map described = new HashMap();
    for (int at = 0; at < changes.length; at++) {
      if (changes[at] instanceof NamespaceChange.SetProperty) {
        NamespaceChange.SetProperty set = (NamespaceChange.SetProperty) changes[at];
        described.put(set.property(), set.value());
      } else {
        described.put(((NamespaceChange.RemoveProperty) changes[at]).property(), null);
      }
    }
    return described;
  }

  /** Returns a filter as a list: its kind, then its column and value, or its operands; null if Python cannot use it. */
  public static List filter(Filter filter) {
    if (filter instanceof EqualTo) {
      return comparison("=", ((EqualTo) filter).attribute(), ((EqualTo) filter).value());
    } else if (filter instanceof EqualNullSafe) {
      return comparison("<=>", ((EqualNullSafe) filter).attribute(), ((EqualNullSafe) filter).value());
    } else if (filter instanceof GreaterThan) {
      return comparison(">", ((GreaterThan) filter).attribute(), ((GreaterThan) filter).value());
    } else if (filter instanceof GreaterThanOrEqual) {
      return comparison(">=", ((GreaterThanOrEqual) filter).attribute(), ((GreaterThanOrEqual) filter).value());
    } else if (filter instanceof LessThan) {
      return comparison("<", ((LessThan) filter).attribute(), ((LessThan) filter).value());
    } else if (filter instanceof LessThanOrEqual) {
      return comparison("<=", ((LessThanOrEqual) filter).attribute(), ((LessThanOrEqual) filter).value());
    } else if (filter instanceof In) {
      return in(((In) filter).attribute(), ((In) filter).values());
    } else if (filter instanceof IsNull) {
      return parts("null", ((IsNull) filter).attribute(), null);
    } else if (filter instanceof IsNotNull) {
      return parts("not null", ((IsNotNull) filter).attribute(), null);
    } else if (filter instanceof StringStartsWith) {
      return comparison("starts with", ((StringStartsWith) filter).attribute(), ((StringStartsWith) filter).value());
    } else if (filter instanceof StringEndsWith) {
      return comparison("ends with", ((StringEndsWith) filter).attribute(), ((StringEndsWith) filter).value());
    } else if (filter instanceof StringContains) {
      return comparison("contains", ((StringContains) filter).attribute(), ((StringContains) filter).value());
    } else if (filter instanceof Not && !(((Not) filter).child() instanceof And) && !(((Not) filter).child() instanceof Or)) {
      List child = filter(((Not) filter).child());
      return child == null ? null : parts("not", child, null);
    } else if (filter instanceof And) {
      return operands("and", filter(((And) filter).left()), filter(((And) filter).right()));
    } else if (filter instanceof Or) {
      return operands("or", filter(((Or) filter).left()), filter(((Or) filter).right()));
    } else if (filter instanceof AlwaysTrue) {
      return parts("true", null, null);
    }
    return null;
  }

  private static List operands(String kind, List left, List right) {
    return left == null || right == null ? null : parts(kind, left, right);
  }

  private static List comparison(String kind, String column, Object value) {
    Map described = value(value);
    return described == null ? null : parts(kind, column, described);
  }

  private static List in(String column, Object[] values) {
    List described = new ArrayList();
    for (int at = 0; at < values.length; at++) {
      Map value = value(values[at]);
      if (value == null) {
        return null;
      }
      described.add(value);
    }
    return parts("in", column, described);
  }

  private static List parts(String kind, Object first, Object second) {
    List found = new ArrayList();
    found.add(kind);
    found.add(first);
    found.add(second);
    return found;
  }

  /** Returns the filter that selects partitions to overwrite, which also names fractions and times. */
  public static List partition(Filter filter) {
    if (filter instanceof EqualTo) {
      Map described = fractionOrTime(((EqualTo) filter).value());
      return described == null ? filter(filter) : parts("=", ((EqualTo) filter).attribute(), described);
    } else if (filter instanceof EqualNullSafe) {
      Map described = fractionOrTime(((EqualNullSafe) filter).value());
      return described == null ? filter(filter) : parts("<=>", ((EqualNullSafe) filter).attribute(), described);
    } else if (filter instanceof And) {
      return operands("and", partition(((And) filter).left()), partition(((And) filter).right()));
    }
    return filter(filter);
  }

  private static Map fractionOrTime(Object value) {
    Map found = new HashMap();
    if (value instanceof Float || value instanceof Double) {
      found.put("kind", "fraction");
      found.put("value", value.toString());
    } else if (value instanceof java.sql.Timestamp) {
      found.put("kind", "time");
      found.put("value", ((java.sql.Timestamp) value).toInstant().toString());
    } else if (value instanceof java.time.Instant || value instanceof java.time.LocalDateTime) {
      found.put("kind", "time");
      found.put("value", value.toString());
    } else {
      return null;
    }
    return found;
  }

  /** Returns a value with its kind; null for a time, whose meaning depends on time zones. */
  private static Map value(Object value) {
    String kind;
    if (value instanceof Boolean || value instanceof String) {
      kind = "plain";
    } else if (value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long) {
      kind = "plain";
    } else if (value instanceof java.math.BigDecimal) {
      kind = "decimal";
      value = ((java.math.BigDecimal) value).toPlainString();
    } else if (value instanceof java.time.LocalDate || value instanceof java.sql.Date) {
      kind = "date";
      value = value.toString();
    } else {
      return null;
    }
    Map found = new HashMap();
    found.put("kind", kind);
    found.put("value", value);
    return found;
  }
}
