package io.argosy.junit.story;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Why an object is not what a test waits for, as far as the cluster knows: its conditions, its events, its owners, and the same of what it
 * owns, down to the pods.
 */
public final class Story {
    private static final int EVENTS = 8;
    private static final int DEPENDENTS = 20;
    private static final int DEPTH = 4;

    private final KubernetesClient client;
    private final List<ResourceDefinitionContext> kinds;
    private final StringBuilder text = new StringBuilder();
    private List<GenericKubernetesResource> all;
    private List<Event> events;

    /** Kinds are those among which owned objects are looked for. */
    public Story(KubernetesClient client, List<ResourceDefinitionContext> kinds) {
        this.client = client;
        this.kinds = kinds;
    }

    /** About one object, which may not be there. */
    public String of(String kind, String namespace, String name, HasMetadata object) {
        load(namespace);
        if (object == null) {
            text.append(kind)
                    .append(' ')
                    .append(namespace.isEmpty() ? "" : namespace + "/")
                    .append(name);
            text.append(" is not there\n");
            events(kind, name, "  ");
            similar(kind);
        } else {
            tell(object, "", 0);
        }
        return text.toString();
    }

    /** About everything there is: what is not as it should be stands out by its conditions and events. */
    public String ofAll() {
        load("");
        for (GenericKubernetesResource object : all) {
            if (object.getMetadata().getOwnerReferences() == null
                    || object.getMetadata().getOwnerReferences().isEmpty()) {
                if (hasStatus(object)) {
                    tell(object, "", 0);
                }
            }
        }
        return text.toString();
    }

    private static boolean hasStatus(GenericKubernetesResource object) {
        return object.getAdditionalProperties().get("status") instanceof Map<?, ?> status && !status.isEmpty();
    }

    private void load(String namespace) {
        all = new ArrayList<>();
        for (ResourceDefinitionContext kind : kinds) {
            GenericKubernetesResourceList list = kind.isNamespaceScoped() && !namespace.isEmpty()
                    ? client.genericKubernetesResources(kind)
                            .inNamespace(namespace)
                            .list()
                    : client.genericKubernetesResources(kind).inAnyNamespace().list();
            all.addAll(list.getItems());
        }
        events = client.v1().events().inAnyNamespace().list().getItems();
        events.sort(Comparator.comparing(event -> String.valueOf(event.getLastTimestamp())));
    }

    private void similar(String kind) {
        List<String> names = all.stream()
                .filter(object -> object.getKind().equals(kind))
                .map(object -> object.getMetadata().getName())
                .limit(DEPENDENTS)
                .toList();
        text.append("  ")
                .append(names.isEmpty() ? "there is no " + kind : "there are: " + String.join(", ", names))
                .append('\n');
    }

    private void tell(HasMetadata object, String indent, int depth) {
        text.append(indent).append(Summary.of(shown(object))).append('\n');
        String inner = indent + "  ";
        owners(object, inner, depth);
        status(object, inner);
        events(object.getKind(), object.getMetadata().getName(), inner);
        if (depth < DEPTH) {
            dependents(object, inner, depth);
        }
    }

    /** Pods with all that is known of them. */
    private HasMetadata shown(HasMetadata object) {
        return object.getKind().equals("Pod") && !(object instanceof Pod)
                ? client.getKubernetesSerialization().convertValue(object, Pod.class)
                : object;
    }

    private void owners(HasMetadata object, String indent, int depth) {
        List<OwnerReference> owners = object.getMetadata().getOwnerReferences();
        if (owners == null || depth > 0) {
            return;
        }
        for (OwnerReference owner : owners) {
            boolean there = all.stream()
                    .anyMatch(other -> owner.getUid().equals(other.getMetadata().getUid()));
            text.append(indent)
                    .append("owned by ")
                    .append(owner.getKind())
                    .append(' ')
                    .append(owner.getName())
                    .append(there ? "" : ", which is not there")
                    .append('\n');
        }
    }

    private void status(HasMetadata object, String indent) {
        if (object.getKind().equals("Pod")) {
            return;
        }
        GenericKubernetesResource generic = object instanceof GenericKubernetesResource already
                ? already
                : client.getKubernetesSerialization().convertValue(object, GenericKubernetesResource.class);
        if (generic.getAdditionalProperties().get("status") instanceof Map<?, ?> status) {
            StringBuilder plain = new StringBuilder();
            status.forEach((field, value) -> {
                if (value instanceof Number || value instanceof String || value instanceof Boolean) {
                    plain.append(plain.isEmpty() ? "" : ", ")
                            .append(field)
                            .append(' ')
                            .append(value);
                }
            });
            text.append(plain.isEmpty() ? "" : indent + "status: " + plain + "\n");
            if (status.get("conditions") instanceof List<?> conditions) {
                conditions.forEach(condition -> condition(condition, indent));
            }
        }
    }

    private void condition(Object found, String indent) {
        if (found instanceof Map<?, ?> condition) {
            text.append(indent)
                    .append("condition ")
                    .append(condition.get("type"))
                    .append('=')
                    .append(condition.get("status"));
            if (condition.get("reason") != null) {
                text.append(' ').append(condition.get("reason"));
            }
            if (condition.get("message") != null) {
                text.append(": ").append(condition.get("message"));
            }
            text.append('\n');
        }
    }

    private void events(String kind, String name, String indent) {
        List<Event> about = events.stream()
                .filter(event -> kind.equals(event.getInvolvedObject().getKind())
                        && name.equals(event.getInvolvedObject().getName()))
                .toList();
        about.subList(Math.max(0, about.size() - EVENTS), about.size())
                .forEach(event -> text.append(indent)
                        .append("event ")
                        .append(event.getLastTimestamp())
                        .append(' ')
                        .append(event.getType())
                        .append(' ')
                        .append(event.getReason())
                        .append(": ")
                        .append(event.getMessage())
                        .append(event.getCount() != null && event.getCount() > 1 ? " (" + event.getCount() + "x)" : "")
                        .append('\n'));
    }

    private void dependents(HasMetadata owner, String indent, int depth) {
        List<GenericKubernetesResource> owned = all.stream()
                .filter(object -> object.getMetadata().getOwnerReferences() != null
                        && object.getMetadata().getOwnerReferences().stream()
                                .anyMatch(reference -> reference
                                        .getUid()
                                        .equals(owner.getMetadata().getUid())))
                .toList();
        owned.stream().limit(DEPENDENTS).forEach(object -> tell(object, indent, depth + 1));
        if (owned.size() > DEPENDENTS) {
            text.append(indent).append("and ").append(owned.size() - DEPENDENTS).append(" more\n");
        }
    }
}
