package io.argosy.server.convert;

import static io.argosy.server.convert.Conversions.rename;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Ingress of extensions/v1beta1 named a backend's service and port side by side; v1, as stored, nests them. */
final class IngressConversion {
    private IngressConversion() {}

    static void toV1(ObjectNode ingress) {
        if (!(ingress.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        rename(spec, "backend", "defaultBackend");
        if (spec.get("defaultBackend") instanceof ObjectNode backend) {
            nest(backend);
        }
        for (JsonNode rule : spec.path("rules")) {
            for (JsonNode path : rule.path("http").path("paths")) {
                if (path.get("backend") instanceof ObjectNode backend) {
                    nest(backend);
                }
                if (path instanceof ObjectNode untyped && !untyped.has("pathType")) {
                    untyped.put("pathType", "ImplementationSpecific");
                }
            }
        }
    }

    static void fromV1(ObjectNode ingress) {
        if (!(ingress.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        rename(spec, "defaultBackend", "backend");
        if (spec.get("backend") instanceof ObjectNode backend) {
            flatten(backend);
        }
        for (JsonNode rule : spec.path("rules")) {
            for (JsonNode path : rule.path("http").path("paths")) {
                if (path.get("backend") instanceof ObjectNode backend) {
                    flatten(backend);
                }
            }
        }
    }

    private static void nest(ObjectNode backend) {
        JsonNode name = backend.remove("serviceName");
        JsonNode port = backend.remove("servicePort");
        if (name == null) {
            return;
        }
        ObjectNode service = backend.putObject("service");
        service.set("name", name);
        if (port != null) {
            service.putObject("port").set(port.isNumber() ? "number" : "name", port);
        }
    }

    private static void flatten(ObjectNode backend) {
        if (backend.remove("service") instanceof ObjectNode service) {
            backend.set("serviceName", service.path("name"));
            JsonNode port = service.path("port");
            backend.set("servicePort", port.has("number") ? port.get("number") : port.path("name"));
        }
    }
}
