package io.argosy.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.quantity.Amount;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What one object uses up of a namespace's quotas, by the names that quotas give to what they limit. */
public final class Usage {
    private static final String COUNT = "count/";
    private static final String OF_CLASS = ".storageclass.storage.k8s.io/";
    private static final Set<String> COUNTED_BY_NAME = Set.of(
            "configmaps", "secrets", "replicationcontrollers", "resourcequotas", "services", "persistentvolumeclaims");
    private static final GroupResource DEVICE_CLAIMS = new GroupResource("resource.k8s.io", "resourceclaims");
    private static final String DEVICES = ".deviceclass.resource.k8s.io/devices";
    /** As many devices as one claim can get at most; who asks for all of them may get so many. */
    private static final Amount ALL_DEVICES = Amount.of(32);

    private static final Set<String> BASIC = Set.of("cpu", "memory", "ephemeral-storage");

    private Usage() {}

    /** What the object uses up at this time. */
    public static Map<String, Amount> of(GroupResource resource, JsonNode object, Instant now) {
        Map<String, Amount> usage = new TreeMap<>();
        usage.put(COUNT + resource, Amount.ONE);
        if (resource.equals(DEVICE_CLAIMS)) {
            devices(object, usage);
        }
        if (!resource.group().isEmpty()) {
            return usage;
        }
        String name = resource.resource();
        if (COUNTED_BY_NAME.contains(name)) {
            usage.put(name, Amount.ONE);
        }
        switch (name) {
            case "pods" -> pod(object, usage, now);
            case "services" -> service(object.path("spec"), usage);
            case "persistentvolumeclaims" -> claim(object, usage);
            default -> {}
        }
        return usage;
    }

    /** The kind of object that uses up what a quota limits under this name; a name nobody knows is a container resource's. */
    public static GroupResource source(String limited) {
        if (limited.startsWith(COUNT)) {
            String text = limited.substring(COUNT.length());
            int dot = text.indexOf('.');
            return dot < 0
                    ? new GroupResource("", text)
                    : new GroupResource(text.substring(dot + 1), text.substring(0, dot));
        }
        if (limited.startsWith("services")) {
            return new GroupResource("", "services");
        }
        if (limited.equals("requests.storage") || limited.contains(OF_CLASS)) {
            return new GroupResource("", "persistentvolumeclaims");
        }
        if (limited.endsWith(DEVICES)) {
            return DEVICE_CLAIMS;
        }
        return new GroupResource("", COUNTED_BY_NAME.contains(limited) ? limited : "pods");
    }

    /** A pod that has ended uses nothing but its place in the store. */
    private static void pod(JsonNode pod, Map<String, Amount> usage, Instant now) {
        String phase = pod.path("status").path("phase").asText();
        if (phase.equals("Succeeded") || phase.equals("Failed") || isStuck(pod.path("metadata"), now)) {
            return;
        }
        usage.put("pods", Amount.ONE);
        PodAmounts.ofPod(pod, "requests").forEach((name, amount) -> {
            usage.put("requests." + name, amount);
            if (BASIC.contains(name) || name.startsWith("hugepages-")) {
                usage.put(name, amount);
            }
        });
        PodAmounts.ofPod(pod, "limits").forEach((name, amount) -> {
            if (BASIC.contains(name)) {
                usage.put("limits." + name, amount);
            }
        });
    }

    /** A pod whose node is lost may never go; it does not keep others from coming once its time is long up. */
    private static boolean isStuck(JsonNode metadata, Instant now) {
        if (!metadata.hasNonNull("deletionTimestamp") || !metadata.hasNonNull("deletionGracePeriodSeconds")) {
            return false;
        }
        try {
            Instant end = Instant.parse(metadata.path("deletionTimestamp").asText());
            return now.isAfter(
                    end.plusSeconds(metadata.path("deletionGracePeriodSeconds").asLong()));
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** The devices of each class that a claim can get; of several ways to fill a request, the one that takes most counts. */
    private static void devices(JsonNode claim, Map<String, Amount> usage) {
        for (JsonNode request : claim.at("/spec/devices/requests")) {
            Map<String, Amount> most = new TreeMap<>();
            if (request.hasNonNull("exactly")) {
                wish(request.path("exactly"), most);
            }
            request.path("firstAvailable").forEach(way -> wish(way, most));
            most.forEach((name, amount) -> usage.merge(name, amount, Amount::plus));
        }
    }

    private static void wish(JsonNode request, Map<String, Amount> most) {
        Amount devices = switch (request.path("allocationMode").asText()) {
            case "ExactCount" -> Amount.of(request.path("count").asLong());
            case "All" -> ALL_DEVICES;
            default -> Amount.ZERO;
        };
        most.merge(request.path("deviceClassName").asText() + DEVICES, devices, Amount::max);
    }

    private static void service(JsonNode spec, Map<String, Amount> usage) {
        String type = spec.path("type").asText();
        boolean balanced = type.equals("LoadBalancer");
        if (balanced) {
            usage.put("services.loadbalancers", Amount.ONE);
        }
        if (type.equals("NodePort")) {
            usage.put("services.nodeports", Amount.of(spec.path("ports").size()));
        } else if (balanced) {
            long ports = 0;
            boolean all = spec.path("allocateLoadBalancerNodePorts").asBoolean(true);
            for (JsonNode port : spec.path("ports")) {
                ports += all || port.path("nodePort").asInt() != 0 ? 1 : 0;
            }
            usage.put("services.nodeports", Amount.of(ports));
        }
    }

    private static void claim(JsonNode claim, Map<String, Amount> usage) {
        JsonNode annotated = claim.path("metadata").path("annotations").path("volume.beta.kubernetes.io/storage-class");
        String storageClass = annotated.isMissingNode()
                ? claim.at("/spec/storageClassName").asText()
                : annotated.asText(); // who still writes it means it
        if (!storageClass.isEmpty()) {
            usage.put(storageClass + OF_CLASS + "persistentvolumeclaims", Amount.ONE);
        }
        Amount storage = PodAmounts.resources(claim.path("spec"), "requests").get("storage");
        if (storage != null) {
            Amount allocated = PodAmounts.amounts(claim.path("status").path("allocatedResources"))
                    .getOrDefault("storage", Amount.ZERO);
            Amount more = storage.max(allocated);
            storage = new Amount(more.value().setScale(0, RoundingMode.CEILING), more.binary());
            usage.put("requests.storage", storage);
            if (!storageClass.isEmpty()) {
                usage.put(storageClass + OF_CLASS + "requests.storage", storage);
            }
        }
    }
}
