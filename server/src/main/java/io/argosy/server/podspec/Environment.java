package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** A container's variables and where they come from. */
final class Environment {
    static final List<String> MEMORY_UNITS =
            List.of("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei");
    private static final Pattern NAME = Pattern.compile("[ -<>-~]+");
    private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");
    private static final Pattern SUBSCRIPT = Pattern.compile("(metadata\\.(?:annotations|labels))\\['(.*)'\\]");
    private static final List<String> FIELDS = List.of(
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "spec.nodeName",
            "spec.serviceAccountName",
            "status.hostIP",
            "status.hostIPs",
            "status.podIP",
            "status.podIPs");
    private static final List<String> RESOURCES = List.of(
            "limits.cpu",
            "limits.ephemeral-storage",
            "limits.memory",
            "requests.cpu",
            "requests.ephemeral-storage",
            "requests.memory");
    private static final List<String> SOURCES =
            List.of("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef");

    private Environment() {}

    static void check(Spot container, Map<String, JsonNode> volumes) {
        for (Spot variable : container.each("env")) {
            variable(variable);
            Spot file = variable.at("valueFrom").at("fileKeyRef");
            if (file.isGiven()) {
                volume(file.at("volumeName"), volumes.get(file.text("volumeName")));
            }
        }
        for (Spot source : container.each("envFrom")) {
            if (!source.text("prefix").isEmpty()) {
                name(source.at("prefix"));
            }
            int given = 0;
            for (String kind : List.of("configMapRef", "secretRef")) {
                if (source.has(kind)) {
                    given++;
                    if (source.at(kind).at("name").needed()) {
                        objectName(source.at(kind).at("name"));
                    }
                }
            }
            if (given != 1) {
                container
                        .at("envFrom")
                        .invalid(
                                "",
                                given == 0
                                        ? "must specify one of: `configMapRef` or `secretRef`"
                                        : "may not have more than one field specified at a time");
            }
        }
    }

    /** Files with variables are written by the pod itself. */
    private static void volume(Spot name, JsonNode volume) {
        if (volume == null) {
            name.errors().notFound(name.path(), name.text());
        } else if (!volume.has("emptyDir")) {
            name.invalid("referenced volume must be of type emptyDir");
        }
    }

    private static void variable(Spot variable) {
        if (variable.at("name").needed()) {
            name(variable.at("name"));
        }
        Spot from = variable.at("valueFrom");
        if (!from.isGiven()) {
            return;
        }
        long given = SOURCES.stream().filter(from::has).count();
        if (from.has("fieldRef")) {
            field(from.at("fieldRef"), FIELDS);
        }
        if (from.has("resourceFieldRef")) {
            resource(from.at("resourceFieldRef"), false);
        }
        for (String kind : List.of("configMapKeyRef", "secretKeyRef")) {
            if (from.has(kind)) {
                objectName(from.at(kind).at("name"));
                if (from.at(kind).at("key").needed()) {
                    key(from.at(kind).at("key"));
                }
            }
        }
        if (from.has("fileKeyRef")) {
            Spot file = from.at("fileKeyRef");
            if (file.at("key").needed()) {
                name(file.at("key"));
            }
            if (file.at("volumeName").needed()) {
                file.at("volumeName").label();
            }
            if (file.at("path").needed()) {
                file.at("path").noBacksteps();
            }
        }
        if (given == 0) {
            from.invalid(
                    "",
                    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or"
                            + " `fileKeyRef`");
        } else if (!variable.text("value").isEmpty()) {
            from.invalid("", "may not be specified when `value` is not empty");
        } else if (given > 1) {
            from.invalid("", "may not have more than one field specified at a time");
        }
    }

    private static void name(Spot name) {
        if (!NAME.matcher(name.text()).matches()) {
            name.invalid(
                    "a valid environment variable name must consist only of printable ASCII characters other than '='");
        }
    }

    private static void objectName(Spot name) {
        Names.subdomainError(name.text()).ifPresent(error -> name.invalid(name.text(), error));
    }

    private static void key(Spot key) {
        String text = key.text();
        if (!KEY.matcher(text).matches()) {
            key.invalid(
                    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                            + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
        } else if (text.equals(".") || text.equals("..")) {
            key.invalid("must not be '" + text + "'");
        }
    }

    /** A field of the pod that may be told to its containers. */
    static void field(Spot reference, List<String> allowed) {
        Spot path = reference.at("fieldPath");
        if (!path.needed()) {
            return;
        }
        var subscripted = SUBSCRIPT.matcher(path.text());
        if (subscripted.matches()) {
            Names.qualifiedNameError(subscripted.group(2))
                    .ifPresent(error -> reference.invalid(subscripted.group(2), error));
        } else if (path.text().indexOf('[') >= 0) {
            path.invalid("error converting fieldPath: field label does not support subscript");
        } else if (!allowed.contains(path.text())) {
            boolean known = Set.of("metadata.annotations", "metadata.labels").contains(path.text())
                    || FIELDS.contains(path.text());
            if (known) {
                path.errors().notSupported(path.path(), path.text(), allowed);
            } else {
                path.invalid("error converting fieldPath: field label not supported: " + path.text());
            }
        }
    }

    /** An amount of a container that may be told. */
    static void resource(Spot reference, boolean inVolume) {
        Spot resource = reference.at("resource");
        String name = resource.text();
        boolean hugePages = name.startsWith("limits.hugepages-") || name.startsWith("requests.hugepages-");
        if (inVolume && reference.text("containerName").isEmpty()) {
            reference.at("containerName").required();
        } else if (name.isEmpty()) {
            resource.required();
        } else if (!RESOURCES.contains(name) && !hugePages) {
            resource.errors().notSupported(resource.path(), name, RESOURCES);
        }
        String divisor = reference.text("divisor");
        if (divisor.isEmpty() || divisor.equals("0")) {
            return;
        }
        if (name.endsWith(".cpu")) {
            if (!List.of("1m", "1").contains(divisor)) {
                reference
                        .at("divisor")
                        .invalid(name, "only divisor's values 1m and 1 are supported with the cpu resource");
            }
        } else if (!MEMORY_UNITS.contains(divisor)) {
            String what = name.endsWith(".memory")
                    ? "memory"
                    : name.endsWith("ephemeral-storage") ? "local ephemeral storage" : "hugepages";
            reference
                    .at("divisor")
                    .invalid(
                            name,
                            "only divisor's values " + String.join(", ", MEMORY_UNITS) + " are supported with the "
                                    + what + " resource");
        }
    }
}
