package io.argosy.schemagen;

import com.google.gson.annotations.SerializedName;
import io.swagger.annotations.ApiModel;
import io.swagger.annotations.ApiModelProperty;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The JSON shape of a type as the client library generated from the OpenAPI document has it: the other side of the join. */
record ModelClass(Map<String, ModelClass.Property> properties, String description) {

    /** A property of a type; the description is empty where the OpenAPI generator dropped it, beside references. */
    record Property(String name, boolean required, String description) {}

    private static final String PACKAGE = "io.kubernetes.client.openapi.models.";

    /** Finds the class of a message; where classes of several groups share a name they carry the group in theirs. */
    static Optional<ModelClass> of(Message message) {
        String[] parts = message.packageName().split("\\.", -1);
        String version = capital(parts[parts.length - 1]);
        String group = capital(parts[parts.length - 2]);
        return load(version + message.simpleName()).or(() -> load(group + version + message.simpleName()));
    }

    static Optional<ModelClass> load(String simpleName) {
        try {
            return Optional.of(read(Class.forName(PACKAGE + simpleName)));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ModelClass read(Class<?> model) throws ReflectiveOperationException {
        Set<String> required = new HashSet<>();
        ((Set<?>) model.getField("openapiRequiredFields").get(null)).forEach(name -> required.add((String) name));
        Map<String, Property> properties = new TreeMap<>();
        for (Field field : model.getDeclaredFields()) {
            SerializedName name = field.getAnnotation(SerializedName.class);
            if (name != null) {
                properties.put(
                        name.value(),
                        new Property(name.value(), required.contains(name.value()), description(model, field)));
            }
        }
        ApiModel annotation = model.getAnnotation(ApiModel.class);
        return new ModelClass(properties, annotation == null ? "" : unescape(annotation.description()));
    }

    private static String description(Class<?> model, Field field) {
        for (Method method : model.getDeclaredMethods()) {
            ApiModelProperty property = method.getAnnotation(ApiModelProperty.class);
            if (property != null && method.getName().substring(3).equalsIgnoreCase(field.getName())) {
                return unescape(property.value());
            }
        }
        return "";
    }

    /** Undoes what the generator of the client library does to keep descriptions from ending Java comments. */
    private static String unescape(String text) {
        return text.replace("*_/", "*/").replace("/_*", "/*");
    }

    private static String capital(String word) {
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }
}
