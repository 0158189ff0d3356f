package workbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Predicate$;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression$;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Conditions on partition columns that are not filters of a data source, such as those with functions: Spark evaluates
 * them on the values of the partitions, and a filter names the selected values.
 */
public class PartitionFilters {
  // The maximum number of partitions that a filter on several columns may name.
  private static final int MOST = 100;

  /** Returns the filter as Describe.filter does; null if the condition needs more than the values of partitions. */
  public static List of(String catalog, Object reading, List partitions, Expression condition, Object session) {
    List attributes = new ArrayList();
    List names = new ArrayList();
    for (scala.collection.Iterator each = condition.references().iterator(); each.hasNext(); ) {
      Attribute attribute = (Attribute) each.next();
      if (!partitions.contains(attribute.name()) || attribute.name().contains(".") || attribute.name().contains("`")) {
        return null;
      }
      attributes.add(attribute);
      names.add(attribute.name());
    }
    if (names.isEmpty() || !condition.deterministic() || SubqueryExpression$.MODULE$.hasSubquery(condition)) {
      return null;
    }
    Map request = new HashMap();
    request.put("reading", reading);
    request.put("columns", names);
    List rows = (List) Bridge.result(catalog, "partitions", request, session).get("rows");
    return rows == null ? null : filter(attributes, selected(rows, attributes, condition));
  }

  /** Returns the rows for which the condition is true; null if it cannot be evaluated on some of them. */
  private static List selected(List rows, List attributes, Expression condition) {
    List found = new ArrayList();
    try {
      BasePredicate predicate =
          Predicate$.MODULE$.create(condition, scala.jdk.javaapi.CollectionConverters.asScala(attributes).toSeq());
      predicate.initialize(0);
      for (int at = 0; at < rows.size(); at++) {
        List row = (List) rows.get(at);
        Object[] values = new Object[row.size()];
        for (int column = 0; column < values.length; column++) {
          values[column] = converted(row.get(column), ((Attribute) attributes.get(column)).dataType());
        }
        InternalRow given = new GenericInternalRow(values);
        if (predicate.eval(given)) {
          found.add(row);
        }
      }
    } catch (RuntimeException error) {
      // Spark evaluates the condition on the rows that it reads, and reports the error if one of the rows causes it.
      return null;
    }
    return found;
  }

  private static List filter(List attributes, List rows) {
    if (rows == null || (attributes.size() > 1 && rows.size() > MOST)) {
      return null;
    }
    Attribute first = (Attribute) attributes.get(0);
    if (attributes.size() == 1) {
      return one(first, rows);
    }
    List all = none(first);
    for (int at = 0; at < rows.size(); at++) {
      List row = (List) rows.get(at);
      List each = null;
      for (int column = 0; column < attributes.size(); column++) {
        List cell = new ArrayList();
        cell.add(row.get(column));
        List values = new ArrayList();
        values.add(cell);
        List test = one((Attribute) attributes.get(column), values);
        each = each == null ? test : parts("and", each, test);
      }
      all = parts("or", all, each);
    }
    return all;
  }

  /** Returns the filter that selects these values of a column, NULL among them. */
  private static List one(Attribute attribute, List rows) {
    boolean isDate = attribute.dataType().equals(DataTypes.DateType);
    List values = new ArrayList();
    boolean hasNull = false;
    for (int at = 0; at < rows.size(); at++) {
      Object value = ((List) rows.get(at)).get(0);
      if (value == null) {
        hasNull = true;
      } else {
        Map described = new HashMap();
        described.put("kind", isDate ? "date" : "plain");
        described.put("value", isDate ? java.time.LocalDate.ofEpochDay(((Number) value).longValue()).toString() : value);
        values.add(described);
      }
    }
    if (values.isEmpty()) {
      return hasNull ? parts("null", attribute.name(), null) : none(attribute);
    }
    List in = parts("in", attribute.name(), values);
    return hasNull ? parts("or", in, parts("null", attribute.name(), null)) : in;
  }

  /** Returns a filter that selects no rows. */
  private static List none(Attribute attribute) {
    return parts("and", parts("null", attribute.name(), null), parts("not null", attribute.name(), null));
  }

  private static List parts(String kind, Object first, Object second) {
    List found = new ArrayList();
    found.add(kind);
    found.add(first);
    found.add(second);
    return found;
  }

  /** Returns a value of an answer in the form that Spark uses inside rows. */
  public static Object converted(Object value, DataType type) {
    if (value == null || value instanceof Boolean) {
      return value;
    } else if (value instanceof String) {
      return UTF8String.fromString((String) value);
    }
    long number = ((Number) value).longValue();
    if (type.equals(DataTypes.LongType)) {
      return Long.valueOf(number);
    } else if (type.equals(DataTypes.ShortType)) {
      return Short.valueOf((short) number);
    } else if (type.equals(DataTypes.ByteType)) {
      return Byte.valueOf((byte) number);
    }
    // INT, and DATE as days since 1970.
    return Integer.valueOf((int) number);
  }
}
