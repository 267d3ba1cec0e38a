package io.argosy.node.agent.model;

import io.argosy.node.runtime.PodIdentity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EphemeralContainer;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** What a Pod object says, read with the defaults an API server would have filled in; asked by everything on the node. */
public final class PodFacts {
    /** What the API server gives when a manifest does not say. */
    public static final long DEFAULT_GRACE_SECONDS = 30;

    /** From this priority on, nodes or the cluster stand on a pod. */
    public static final int CRITICAL = 2_000_000_000;

    private static final long LONGEST_GRACE_SECONDS =
            Duration.ofNanos(Long.MAX_VALUE).toSeconds();

    private PodFacts() {}

    public static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }

    public static String namespace(Pod pod) {
        return pod.getMetadata().getNamespace();
    }

    public static String name(Pod pod) {
        return pod.getMetadata().getName();
    }

    /** The form kubelet uses in its messages: {@code name_namespace(uid)}. */
    public static String fullName(Pod pod) {
        return name(pod) + "_" + namespace(pod) + "(" + uid(pod) + ")";
    }

    public static PodIdentity identity(Pod pod, int attempt) {
        return new PodIdentity(namespace(pod), name(pod), uid(pod), attempt);
    }

    public static String restartPolicy(Pod pod) {
        String policy = pod.getSpec().getRestartPolicy();
        return policy == null ? "Always" : policy;
    }

    /** A native sidecar: an init container that runs beside the others. */
    public static boolean isSidecar(Container container) {
        return "Always".equals(container.getRestartPolicy());
    }

    public static boolean isInit(Pod pod, String name) {
        return pod.getSpec().getInitContainers().stream()
                .anyMatch(c -> c.getName().equals(name));
    }

    public static boolean isEphemeral(Pod pod, String name) {
        return pod.getSpec().getEphemeralContainers().stream()
                .anyMatch(c -> c.getName().equals(name));
    }

    public static List<Container> ephemeral(Pod pod) {
        return pod.getSpec().getEphemeralContainers().stream()
                .map(PodFacts::asContainer)
                .toList();
    }

    /** Init, regular and ephemeral containers, in this order. */
    public static List<Container> all(Pod pod) {
        List<Container> all = new ArrayList<>(pod.getSpec().getInitContainers());
        all.addAll(pod.getSpec().getContainers());
        all.addAll(ephemeral(pod));
        return all;
    }

    public static Optional<Container> container(Pod pod, String name) {
        return all(pod).stream().filter(c -> c.getName().equals(name)).findFirst();
    }

    /** Whether a container has the same image in both. */
    public static boolean sameImage(Pod a, Pod b, String container) {
        return container(a, container)
                .map(Container::getImage)
                .equals(container(b, container).map(Container::getImage));
    }

    public static boolean hostNetwork(Pod pod) {
        return Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
    }

    /** Whether nothing changed that a running pod may read of itself in files. */
    public static boolean sameLabels(Pod a, Pod b) {
        return Objects.equals(a.getMetadata().getLabels(), b.getMetadata().getLabels())
                && Objects.equals(
                        a.getMetadata().getAnnotations(), b.getMetadata().getAnnotations());
    }

    /** How often what is wanted of the pod has changed, counted by the API server. */
    public static long generation(Pod pod) {
        Long generation = pod.getMetadata().getGeneration();
        return generation == null ? 0 : generation;
    }

    public static boolean deleting(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() != null;
    }

    public static String phase(Pod pod) {
        return pod.getStatus() == null || pod.getStatus().getPhase() == null
                ? "Pending"
                : pod.getStatus().getPhase();
    }

    public static boolean terminal(Pod pod) {
        return phase(pod).equals("Succeeded") || phase(pod).equals("Failed");
    }

    /** How long the pod's containers get to stop, as its deletion or else its spec says; at least one second. */
    public static long graceSeconds(Pod pod) {
        Long byDeletion = deleting(pod) ? pod.getMetadata().getDeletionGracePeriodSeconds() : null;
        Long bySpec = pod.getSpec().getTerminationGracePeriodSeconds();
        long seconds = byDeletion != null ? byDeletion : bySpec != null ? bySpec : DEFAULT_GRACE_SECONDS;
        return bounded(seconds);
    }

    /** A grace that any clock can count: at least one second, at most 292 years. */
    public static long bounded(long graceSeconds) {
        return Math.clamp(graceSeconds, 1, LONGEST_GRACE_SECONDS);
    }

    /** A reference to one container of the pod, for Events. */
    public static ObjectReference reference(Pod pod, String container) {
        String list = isInit(pod, container)
                ? "initContainers"
                : isEphemeral(pod, container) ? "ephemeralContainers" : "containers";
        return referenceTo(pod)
                .withFieldPath("spec." + list + "{" + container + "}")
                .build();
    }

    public static ObjectReference reference(Pod pod) {
        return referenceTo(pod).build();
    }

    private static ObjectReferenceBuilder referenceTo(Pod pod) {
        return new ObjectReferenceBuilder()
                .withApiVersion("v1")
                .withKind("Pod")
                .withNamespace(namespace(pod))
                .withName(name(pod))
                .withUid(uid(pod))
                .withResourceVersion(pod.getMetadata().getResourceVersion());
    }

    /** Guaranteed, Burstable or BestEffort: what the server wrote, or what the containers' requests and limits amount to. */
    public static String qosClass(Pod pod) {
        if (pod.getStatus() != null && pod.getStatus().getQosClass() != null) {
            return pod.getStatus().getQosClass();
        }
        boolean any = false;
        boolean guaranteed = true;
        for (ResourceRequirements counted : deciding(pod)) {
            for (String resource : List.of("cpu", "memory")) {
                BigDecimal request = amount(counted, true, resource);
                BigDecimal limit = amount(counted, false, resource);
                any |= request.signum() > 0 || limit.signum() > 0;
                guaranteed &= limit.signum() > 0 && (request.signum() == 0 || request.compareTo(limit) == 0);
            }
        }
        return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
    }

    /** What the pod says as a whole goes before what its containers say. */
    private static List<ResourceRequirements> deciding(Pod pod) {
        ResourceRequirements whole = pod.getSpec().getResources();
        boolean said = Stream.of("cpu", "memory")
                .anyMatch(resource -> amount(whole, true, resource).signum() > 0
                        || amount(whole, false, resource).signum() > 0);
        List<ResourceRequirements> all = new ArrayList<>();
        if (said) {
            all.add(whole);
        } else {
            pod.getSpec().getInitContainers().forEach(c -> all.add(c.getResources()));
            pod.getSpec().getContainers().forEach(c -> all.add(c.getResources()));
        }
        return all;
    }

    public static int priority(Pod pod) {
        return pod.getSpec().getPriority() == null ? 0 : pod.getSpec().getPriority();
    }

    /** Whether the node does not work without it. */
    public static boolean nodeCritical(Pod pod) {
        return priority(pod) >= CRITICAL
                && "system-node-critical".equals(pod.getSpec().getPriorityClassName());
    }

    /** A request or limit in whole units (cpus, bytes); zero where nothing is said. */
    public static BigDecimal amount(ResourceRequirements resources, boolean request, String resource) {
        if (resources == null) {
            return BigDecimal.ZERO;
        }
        Map<String, Quantity> amounts = request ? resources.getRequests() : resources.getLimits();
        Quantity quantity = amounts == null ? null : amounts.get(resource);
        return quantity == null ? BigDecimal.ZERO : Quantity.getAmountInBytes(quantity);
    }

    private static Container asContainer(EphemeralContainer from) {
        return new ContainerBuilder()
                .withName(from.getName())
                .withImage(from.getImage())
                .withImagePullPolicy(from.getImagePullPolicy())
                .withCommand(from.getCommand())
                .withArgs(from.getArgs())
                .withEnv(from.getEnv())
                .withEnvFrom(from.getEnvFrom())
                .withWorkingDir(from.getWorkingDir())
                .withVolumeMounts(from.getVolumeMounts())
                .withSecurityContext(from.getSecurityContext())
                .withStdin(from.getStdin())
                .withStdinOnce(from.getStdinOnce())
                .withTty(from.getTty())
                .withTerminationMessagePath(from.getTerminationMessagePath())
                .withTerminationMessagePolicy(from.getTerminationMessagePolicy())
                .build();
    }
}
