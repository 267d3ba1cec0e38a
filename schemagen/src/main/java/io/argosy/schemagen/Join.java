package io.argosy.schemagen;

import io.argosy.schemagen.Definition.Form;
import io.argosy.schemagen.Definition.Property;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Joins the two published views of every type that can be reached from a kind. The client library (v1.35) decides which
 * properties there are; the descriptors (v1.36) add numbers, types and markers, so what is new in them is left out.
 */
final class Join {
    private static final String META = "k8s.io.apimachinery.pkg.apis.meta.v1.";
    /** Packages without classes in the client library: those of old versions, and those that add-ons bring elsewhere. */
    private static final Set<String> WITHOUT_CLASSES = Set.of(
            "k8s.io.api.extensions.v1beta1",
            "k8s.io.api.apps.v1beta1",
            "k8s.io.api.apps.v1beta2",
            "k8s.io.api.batch.v1beta1",
            "k8s.io.api.rbac.v1beta1",
            "k8s.io.api.admissionregistration.v1alpha1",
            "k8s.io.api.settings.v1alpha1",
            "k8s.io.metrics.pkg.apis.metrics.v1beta1",
            "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1");
    /** Embedded structs in types of which no class tells it. */
    private static final Set<String> INLINED = Set.of("ingressRuleValue");
    /** Optional in old versions although no marker says so and today's versions require it. */
    private static final Set<String> OPTIONAL = Set.of("pathType");

    private final Messages messages;
    private final Map<String, List<Definition.Kind>> kinds;
    private final Map<String, Definition> definitions = new TreeMap<>();
    private final TreeSet<String> open = new TreeSet<>();
    private final ModelClass anyKind = ModelClass.load("V1Pod").orElseThrow();

    Join(Messages messages, Map<String, List<Definition.Kind>> kinds) {
        this.messages = messages;
        this.kinds = kinds;
    }

    /** All definitions in alphabetical order of their names. */
    Collection<Definition> definitions() {
        open.addAll(kinds.keySet());
        open.add(META + "Patch");
        open.add("k8s.io.apimachinery.pkg.version.Info");
        Set<String> seen = new TreeSet<>();
        while (!open.isEmpty()) {
            String name = open.pollFirst();
            if (seen.add(name)) {
                Definition definition = define(messages.get(name));
                definitions.put(definition.name(), definition);
            }
        }
        return definitions.values();
    }

    static String definitionName(String message) {
        return "io.k8s" + message.substring("k8s.io".length()).replace('_', '-');
    }

    private Definition define(Message message) {
        Form form = form(message);
        List<Definition.Kind> named = kinds.getOrDefault(message.name(), List.of());
        Optional<ModelClass> model = form == Form.OBJECT ? model(message) : Optional.empty();
        List<Property> properties = new ArrayList<>();
        if (model.isPresent()) {
            for (ModelClass.Property property : model.get().properties().values()) {
                properties.add(property(message, property));
            }
            for (Message.Field field : message.fields().values()) {
                if (field.declared() && !model.get().properties().containsKey(field.name())) {
                    String prose = field.comment().prose();
                    properties.add(joined(field.name(), field, false, prose, List.of(field.number())));
                }
            }
            properties.sort(Comparator.comparing(Property::name));
        } else if (form == Form.OBJECT || form.compareTo(Form.SCHEMA_OR_ARRAY) >= 0) {
            TreeMap<String, Property> byName = new TreeMap<>();
            collect(message, List.of(), form == Form.OBJECT, byName);
            if (!named.isEmpty()) {
                for (String name : List.of("apiVersion", "kind")) {
                    byName.put(name, typeMeta(anyKind.properties().get(name)));
                }
            }
            properties.addAll(byName.values());
        }
        return new Definition(
                definitionName(message.name()),
                form,
                named.isEmpty() || KindTable.published(named.getFirst()),
                mapType(message.comment()),
                named,
                properties,
                prose(message.comment(), model.map(ModelClass::description).orElse("")));
    }

    private static Form form(Message message) {
        return switch (message.simpleName()) {
            case "Quantity" -> Form.QUANTITY;
            case "IntOrString" -> Form.INT_OR_STRING;
            case "Time" -> Form.TIME;
            case "MicroTime" -> Form.MICRO_TIME;
            case "Duration" -> Form.DURATION;
            case "RawExtension" -> Form.RAW_OBJECT;
            case "FieldsV1" -> Form.FIELD_SET;
            case "JSON" -> Form.ANY_JSON;
            case "JSONSchemaPropsOrArray" -> Form.SCHEMA_OR_ARRAY;
            case "JSONSchemaPropsOrBool" -> Form.SCHEMA_OR_BOOL;
            case "JSONSchemaPropsOrStringArray" -> Form.SCHEMA_OR_STRINGS;
            default -> Form.OBJECT;
        };
    }

    /** The class with the JSON shape; old versions have none, save that their JSON schema is the same as today's. */
    private static Optional<ModelClass> model(Message message) {
        if (WITHOUT_CLASSES.contains(message.packageName())) {
            return message.simpleName().equals("JSONSchemaProps")
                    ? ModelClass.load("V1JSONSchemaProps")
                    : Optional.empty();
        }
        if (message.fields().isEmpty() || message.simpleName().startsWith("PartialObject")) {
            return Optional.empty();
        }
        Optional<ModelClass> found = ModelClass.of(message);
        if (found.isEmpty() && !message.fields().values().stream().allMatch(Message.Field::declared)) {
            throw new IllegalStateException("no class has the shape of " + message.name());
        }
        return found;
    }

    private Property property(Message message, ModelClass.Property shape) {
        List<Message.Field> path = find(message, shape.name());
        if (path.isEmpty()) {
            if (kinds.containsKey(message.name())
                    && (shape.name().equals("apiVersion") || shape.name().equals("kind"))) {
                return typeMeta(shape);
            }
            throw new IllegalStateException("no field of " + message.name() + " is " + shape.name() + " in JSON");
        }
        Message.Field field = path.getLast();
        return joined(
                shape.name(), field, shape.required(), prose(field.comment(), shape.description()), numbers(path));
    }

    /** The way to the field with that JSON name: itself, or through messages that JSON does not show. */
    private List<Message.Field> find(Message message, String name) {
        Message.Field direct = message.byJsonName(name);
        if (direct != null) {
            return List.of(direct);
        }
        Optional<ModelClass> model = ModelClass.of(message);
        for (Message.Field field : message.fields().values()) {
            boolean shown = model.isPresent()
                    && model.get().properties().keySet().stream()
                            .anyMatch(property -> field.equals(message.byJsonName(property)));
            if (!shown && field.label() == Message.Label.SINGLE && field.type().contains(".")) {
                List<Message.Field> rest = find(messages.get(field.type()), name);
                if (!rest.isEmpty()) {
                    List<Message.Field> path = new ArrayList<>(List.of(field));
                    path.addAll(rest);
                    return path;
                }
            }
        }
        return List.of();
    }

    private void collect(Message message, List<Integer> outer, boolean mayRequire, Map<String, Property> into) {
        for (Message.Field field : message.fields().values()) {
            List<Integer> numbers = new ArrayList<>(outer);
            numbers.add(field.number());
            if (INLINED.contains(field.name())) {
                collect(messages.get(field.type()), numbers, false, into);
            } else {
                boolean required = mayRequire && requiredUnmarked(message, field);
                into.put(
                        field.name(),
                        joined(field.name(), field, required, field.comment().prose(), numbers));
            }
        }
    }

    /** Old comments do not mark all that is optional; what today's type of that name leaves open was open then. */
    private static boolean requiredUnmarked(Message message, Message.Field field) {
        Optional<ModelClass.Property> today = ModelClass.load("V1" + message.simpleName())
                .map(model -> model.properties().get(field.name()));
        return !field.comment().has("optional")
                && !OPTIONAL.contains(field.name())
                && today.map(ModelClass.Property::required).orElse(true);
    }

    private static Property typeMeta(ModelClass.Property shape) {
        return new Property(
                shape.name(),
                new Definition.Type.Scalar("string"),
                false,
                "",
                List.of(),
                "",
                List.of(),
                "",
                "",
                List.of(),
                shape.description());
    }

    private Property joined(
            String name, Message.Field field, boolean required, String description, List<Integer> numbers) {
        Comment comment = field.comment();
        String strategies = comment.value("patchStrategy");
        return new Property(
                name,
                type(field),
                required,
                comment.value("listType"),
                comment.values("listMapKey"),
                mapType(comment),
                strategies.isEmpty() ? List.of() : List.of(strategies.split(",")),
                comment.value("patchMergeKey"),
                defaultValue(comment.value("default")),
                numbers,
                description);
    }

    private Definition.Type type(Message.Field field) {
        Definition.Type single = single(field.type());
        return switch (field.label()) {
            case SINGLE -> single;
            case REPEATED -> new Definition.Type.ListOf(single, false);
            case MAP -> new Definition.Type.MapOf(single);
        };
    }

    private Definition.Type single(String type) {
        if (!type.contains(".")) {
            return new Definition.Type.Scalar(type);
        }
        Message message = messages.get(type);
        if (message.simpleName().equals("ExtraValue") || message.simpleName().equals("Verbs")) {
            return new Definition.Type.ListOf(new Definition.Type.Scalar("string"), true);
        }
        open.add(type);
        return new Definition.Type.Ref(definitionName(type));
    }

    /** Some defaults name a constant of the Go sources, which are not at hand here. */
    private static String defaultValue(String marker) {
        return switch (marker) {
            case "ref(AzureDataDiskCachingReadWrite)" -> "\"ReadWrite\"";
            case "ref(AzureSharedBlobDisk)" -> "\"Shared\"";
            default -> {
                if (marker.startsWith("ref(")) {
                    throw new IllegalStateException("unknown constant in default " + marker);
                }
                yield marker;
            }
        };
    }

    private static List<Integer> numbers(List<Message.Field> path) {
        return path.stream()
                .map(Message.Field::number)
                .filter(number -> number > 0)
                .toList();
    }

    private static String mapType(Comment comment) {
        return comment.value("structType").isEmpty() ? comment.value("mapType") : comment.value("structType");
    }

    /**
     * Prefers the published words of v1.35 to those of the newer comment. Where they are the same the line breaks are the
     * comment's, with those between paragraphs added: it has lost them, and in the published text they became two blanks.
     */
    private static String prose(Comment comment, String published) {
        String prose = comment.prose();
        if (published.isEmpty()) {
            return prose;
        }
        String[] words = prose.split("\\s+");
        if (!List.of(words).equals(List.of(published.strip().split("\\s+")))) {
            return published;
        }
        StringBuilder text = new StringBuilder();
        int at = 0;
        int publishedAt = published.indexOf(words[0]);
        for (int i = 0; i < words.length; i++) {
            int next = prose.indexOf(words[i], at);
            int publishedNext = published.indexOf(words[i], publishedAt);
            String gap = prose.substring(at, next);
            boolean paragraph = gap.equals(" ") && publishedNext - publishedAt == 2;
            text.append(paragraph ? "\n\n" : gap).append(words[i]);
            at = next + words[i].length();
            publishedAt = publishedNext + words[i].length();
        }
        return text.toString();
    }
}
