import org.apache.paimon.data.BinaryVector;
import org.apache.paimon.data.Blob;
import org.apache.paimon.data.BlobData;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.InternalVector;
import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.data.variant.Variant;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.VectorType;

/**
 * Values of the types that few tables have, as {@link Values} tells the others. A VARIANT is an array: its value and its metadata
 * in hex, when read its JSON text too; to write one, that text alone will do. A VECTOR is an array, a BLOB the hex of its bytes.
 */
final class Specials {
    private Specials() {}

    static JsonNode write(DataType type, Object value) {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        switch (type.getTypeRoot()) {
            case VARIANT:
                Variant variant = (Variant) value;
                return out.add(Values.hex(variant.value())).add(Values.hex(variant.metadata())).add(variant.toJson());
            case VECTOR:
                DataType element = ((VectorType) type).getElementType();
                InternalVector.ElementGetter getter = InternalVector.createElementGetter(element);
                for (int i = 0; i < ((InternalVector) value).size(); i++) {
                    out.add(Values.write(element, getter.getElementOrNull((InternalVector) value, i)));
                }
                return out;
            case BLOB:
                return JsonNodeFactory.instance.textNode(Values.hex(((Blob) value).toData()));
            default:
                return JsonNodeFactory.instance.textNode(value.toString());
        }
    }

    static Object read(DataType type, JsonNode node) {
        switch (type.getTypeRoot()) {
            case VARIANT:
                return node.isTextual()
                        ? GenericVariant.fromJson(node.asText())
                        : new GenericVariant(Values.bytes(node.get(0).asText()), Values.bytes(node.get(1).asText()));
            case VECTOR:
                DataType element = ((VectorType) type).getElementType();
                Object[] elements = new Object[node.size()];
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = Values.read(element, node.get(i));
                }
                return BinaryVector.fromInternalArray(new GenericArray(elements), element);
            case BLOB:
                return new BlobData(Values.bytes(node.asText()));
            default:
                throw new UnsupportedOperationException("no text form for " + type);
        }
    }
}
