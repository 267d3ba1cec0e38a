package io.argosy.controllers.endpointslicemirroring;

import io.argosy.api.net.Ip;
import io.argosy.client.Owners;
import io.argosy.controllers.endpointslice.SliceDiff;
import io.argosy.controllers.pod.PodTemplates;
import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Slices that say what a hand-written Endpoints object says, one for each of its subsets and address families.
 *
 * @param skipped addresses beyond those that one subset may have
 */
record Mirror(List<EndpointSlice> create, List<EndpointSlice> update, List<EndpointSlice> delete, int skipped) {
    static final String CONTROLLER = "endpointslicemirroring-controller.k8s.io";
    static final String SKIP = "endpointslice.kubernetes.io/skip-mirror";
    private static final String LEADER = "control-plane.alpha.kubernetes.io/leader";
    private static final String TRIGGERED = "endpoints.kubernetes.io/last-change-trigger-time";
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final int MOST_ADDRESSES = 1000;

    static boolean isWanted(Endpoints endpoints) {
        Map<String, String> labels = orEmpty(endpoints.getMetadata().getLabels());
        return !"true".equals(labels.get(SKIP))
                && !orEmpty(endpoints.getMetadata().getAnnotations()).containsKey(LEADER);
    }

    static Mirror of(Endpoints endpoints, Collection<EndpointSlice> existing) {
        List<EndpointSlice> wanted = new ArrayList<>();
        int skipped = 0;
        for (EndpointSubset subset : Repacked.of(endpoints.getSubsets())) {
            List<EndpointPort> ports = ports(subset);
            Map<String, List<Endpoint>> byFamily = new HashMap<>();
            int count = 0;
            for (EndpointAddress address : subset.getAddresses()) {
                count += add(byFamily, address, true, count);
            }
            for (EndpointAddress address : subset.getNotReadyAddresses()) {
                count += add(byFamily, address, false, count);
            }
            skipped +=
                    subset.getAddresses().size() + subset.getNotReadyAddresses().size() - count;
            for (String family : List.of("IPv4", "IPv6")) {
                if (byFamily.containsKey(family)) {
                    wanted.add(slice(endpoints, family, ports, byFamily.get(family)));
                }
            }
        }
        return diff(wanted, existing, skipped);
    }

    private static Mirror diff(List<EndpointSlice> wanted, Collection<EndpointSlice> existing, int skipped) {
        List<EndpointSlice> left = new ArrayList<>(existing);
        left.sort(Comparator.comparing(slice -> slice.getMetadata().getName()));
        List<EndpointSlice> create = new ArrayList<>();
        List<EndpointSlice> update = new ArrayList<>();
        for (EndpointSlice slice : wanted) {
            EndpointSlice found = left.stream()
                    .filter(other -> other.getAddressType().equals(slice.getAddressType())
                            && other.getPorts().equals(slice.getPorts()))
                    .findFirst()
                    .or(() -> left.stream()
                            .filter(other -> other.getAddressType().equals(slice.getAddressType()))
                            .findFirst())
                    .orElse(null);
            if (found == null) {
                create.add(slice);
                continue;
            }
            left.remove(found);
            if (!isSame(found, slice)) {
                update.add(new EndpointSliceBuilder(found)
                        .editMetadata()
                        .withLabels(slice.getMetadata().getLabels())
                        .withAnnotations(slice.getMetadata().getAnnotations())
                        .withOwnerReferences(slice.getMetadata().getOwnerReferences())
                        .endMetadata()
                        .withPorts(slice.getPorts())
                        .withEndpoints(slice.getEndpoints())
                        .build());
            }
        }
        return new Mirror(create, update, left, skipped);
    }

    /** A slice of Endpoints that were deleted and written again must change hands, or it goes with the ones that are gone. */
    private static boolean isSame(EndpointSlice found, EndpointSlice wanted) {
        return found.getMetadata()
                        .getOwnerReferences()
                        .containsAll(wanted.getMetadata().getOwnerReferences())
                && found.getPorts().equals(wanted.getPorts())
                && found.getEndpoints().equals(wanted.getEndpoints())
                && orEmpty(found.getMetadata().getLabels())
                        .equals(wanted.getMetadata().getLabels())
                && orEmpty(found.getMetadata().getAnnotations())
                        .equals(wanted.getMetadata().getAnnotations());
    }

    private static int add(Map<String, List<Endpoint>> byFamily, EndpointAddress address, boolean ready, int count) {
        if (count >= MOST_ADDRESSES) {
            return 0;
        }
        Ip ip = Ip.parse(address.getIp());
        String family = ip.v6() ? "IPv6" : "IPv4";
        byFamily.computeIfAbsent(family, key -> new ArrayList<>())
                .add(new EndpointBuilder()
                        .withAddresses(ip.toString())
                        .withNewConditions()
                        .withReady(ready)
                        .endConditions()
                        .withHostname(
                                Objects.requireNonNullElse(address.getHostname(), "")
                                                .isEmpty()
                                        ? null
                                        : address.getHostname())
                        .withNodeName(address.getNodeName())
                        .withTargetRef(address.getTargetRef())
                        .build());
        return 1;
    }

    private static List<EndpointPort> ports(EndpointSubset subset) {
        return subset.getPorts().stream()
                .map(port -> new EndpointPortBuilder()
                        .withName(port.getName() == null ? "" : port.getName())
                        .withPort(port.getPort())
                        .withProtocol(port.getProtocol())
                        .withAppProtocol(port.getAppProtocol())
                        .build())
                .toList();
    }

    private static EndpointSlice slice(
            Endpoints endpoints, String family, List<EndpointPort> ports, List<Endpoint> addresses) {
        Map<String, String> labels =
                new HashMap<>(orEmpty(endpoints.getMetadata().getLabels()));
        labels.put(SliceDiff.SERVICE_NAME, endpoints.getMetadata().getName());
        labels.put(SliceDiff.MANAGED_BY, CONTROLLER);
        Map<String, String> annotations =
                new HashMap<>(orEmpty(endpoints.getMetadata().getAnnotations()));
        annotations.remove(TRIGGERED);
        annotations.remove(LAST_APPLIED);
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withNamespace(endpoints.getMetadata().getNamespace())
                .withGenerateName(PodTemplates.prefix(endpoints.getMetadata().getName()))
                .withLabels(labels)
                .withAnnotations(annotations)
                .withOwnerReferences(Owners.controlledBy(endpoints))
                .endMetadata()
                .withAddressType(family)
                .withPorts(ports)
                .withEndpoints(addresses)
                .build();
    }

    private static Map<String, String> orEmpty(Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
