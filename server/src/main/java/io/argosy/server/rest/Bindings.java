package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Written;
import io.argosy.server.registry.WriteOptions;
import java.util.List;

/** Puts a pod on a node, once; with the binding come labels and annotations. */
final class Bindings {
    private static final GroupVersionKind BINDING = new GroupVersionKind("", "v1", "Binding");

    private final Clock clock;
    private final Parts parts;

    Bindings(Clock clock, Parts parts) {
        this.clock = clock;
        this.parts = parts;
    }

    Answer bind(ResourceStore store, ResourceRequest request) {
        List<String> warnings = request.warnings();
        ObjectNode binding = Bodies.object(request, BINDING, warnings::add);
        String name = Metadata.of(binding).name();
        if (!name.isEmpty() && !name.equals(request.name())) {
            throw ApiException.badRequest("name in URL does not match name in Binding object");
        }
        WriteOptions options = Writes.options(request, warnings);
        parts.admit(Operation.CREATE, store.type(), request, BINDING, binding, null, options);
        check(binding, request.name());
        Written written = store.update(
                request.namespace(),
                request.name(),
                "binding",
                pod -> {
                    refuse(pod, binding, store, request);
                    return bound(pod, binding);
                },
                options);
        return new Answer(201, Subresources.success(), written.revision(), warnings);
    }

    private static void check(ObjectNode binding, String name) {
        FieldErrors errors = new FieldErrors();
        String kind = binding.path("target").path("kind").asText("");
        if (!kind.isEmpty() && !kind.equals("Node")) {
            errors.notSupported("target.kind", kind, List.of("Node", "<empty>"));
        }
        if (binding.path("target").path("name").asText("").isEmpty()) {
            errors.required("target.name", "");
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid("", "Binding", name, errors.causes());
        }
    }

    private static void refuse(ObjectNode pod, ObjectNode binding, ResourceStore store, ResourceRequest request) {
        Metadata metadata = Metadata.of(pod);
        Metadata expected = Metadata.of(binding);
        String why = null;
        if (!expected.uid().isEmpty() && !expected.uid().equals(metadata.uid())) {
            why = "Precondition failed: UID in precondition: " + expected.uid() + ", UID in object meta: "
                    + metadata.uid();
        } else if (!expected.resourceVersion().isEmpty()
                && !expected.resourceVersion().equals(metadata.resourceVersion())) {
            why = "Precondition failed: ResourceVersion in precondition: " + expected.resourceVersion()
                    + ", ResourceVersion in object meta: " + metadata.resourceVersion();
        } else if (metadata.isBeingDeleted()) {
            why = "pod " + request.name() + " is being deleted, cannot be assigned to a host";
        } else if (!pod.path("spec").path("nodeName").asText("").isEmpty()) {
            why = "pod " + request.name() + " is already assigned to node \""
                    + pod.path("spec").path("nodeName").asText() + "\"";
        } else if (!pod.path("spec").path("schedulingGates").isEmpty()) {
            why = "pod " + request.name() + " has non-empty .spec.schedulingGates";
        }
        if (why != null) {
            throw Subresources.conflict(store, request, why);
        }
    }

    private ObjectNode bound(ObjectNode pod, ObjectNode binding) {
        ObjectNode metadata = Metadata.of(pod).node();
        metadata.remove("resourceVersion");
        for (String map : List.of("annotations", "labels")) {
            if (binding.path("metadata").path(map) instanceof ObjectNode more && !more.isEmpty()) {
                (metadata.get(map) instanceof ObjectNode found ? found : metadata.putObject(map)).setAll(more);
            }
        }
        ((ObjectNode) pod.get("status")).remove("nominatedNodeName");
        ((ObjectNode) pod.get("spec"))
                .put("nodeName", binding.path("target").path("name").asText());
        scheduled((ObjectNode) pod.get("status"));
        return pod;
    }

    private void scheduled(ObjectNode status) {
        ArrayNode conditions =
                status.get("conditions") instanceof ArrayNode found ? found : status.putArray("conditions");
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (conditions.get(i).path("type").asText().equals("PodScheduled")) {
                conditions.remove(i);
            }
        }
        conditions
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "True")
                .put("lastTransitionTime", Metadata.time(clock.now()));
    }
}
