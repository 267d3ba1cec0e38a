package io.argosy.controllers.endpointslice;

import io.argosy.client.Owners;
import io.argosy.controllers.pod.PodTemplates;
import io.argosy.controllers.service.ServicePods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.function.Function;

/**
 * The fewest writes that turn a service's slices into what they should be: endpoints stay in their slice, slices that change anyway
 * are filled first, and a slice that would be deleted is rather reused.
 *
 * @param hints what came of the zones' hints, by address type, where the service wants some
 */
public record SliceDiff(
        List<EndpointSlice> create,
        List<EndpointSlice> update,
        List<EndpointSlice> delete,
        Map<String, ZoneHints.Outcome> hints) {
    public static final String SERVICE_NAME = "kubernetes.io/service-name";
    public static final String MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
    public static final String CONTROLLER = "endpointslice-controller.k8s.io";
    private static final String HEADLESS = "service.kubernetes.io/headless";
    private static final Set<String> RESERVED = Set.of(SERVICE_NAME, MANAGED_BY, HEADLESS);

    static final int CAPACITY = 100;

    static SliceDiff of(
            Service service,
            Collection<Pod> pods,
            Function<String, Node> nodes,
            NavigableMap<String, Double> zones,
            Collection<EndpointSlice> existing) {
        Draft draft = new Draft(service);
        Map<String, ZoneHints.Outcome> hints = new LinkedHashMap<>();
        Set<String> types = DesiredEndpoints.addressTypes(service);
        for (String type : types) {
            List<EndpointSlice> slices = existing.stream()
                    .filter(slice -> slice.getAddressType().equals(type))
                    .toList();
            Map<List<EndpointPort>, Map<DesiredEndpoints.Key, Endpoint>> desired =
                    DesiredEndpoints.of(service, pods, nodes, type);
            DesiredEndpoints.hint(service, desired.values(), slices, zones)
                    .ifPresent(outcome -> hints.put(type, outcome));
            draft.addressType(type, desired, slices);
        }
        for (EndpointSlice slice : existing) {
            if (!types.contains(slice.getAddressType())) {
                draft.delete.add(slice);
            }
        }
        return new SliceDiff(List.copyOf(draft.create), List.copyOf(draft.update), List.copyOf(draft.delete), hints);
    }

    public boolean isEmpty() {
        return create.isEmpty() && update.isEmpty() && delete.isEmpty();
    }

    private static final class Draft {
        final Service service;
        final List<EndpointSlice> create = new ArrayList<>();
        final List<EndpointSlice> update = new ArrayList<>();
        final List<EndpointSlice> delete = new ArrayList<>();

        Draft(Service service) {
            this.service = service;
        }

        void addressType(
                String type,
                Map<List<EndpointPort>, Map<DesiredEndpoints.Key, Endpoint>> desired,
                List<EndpointSlice> existing) {
            List<EndpointSlice> toCreate = new ArrayList<>();
            List<EndpointSlice> toUpdate = new ArrayList<>();
            List<EndpointSlice> toDelete = new ArrayList<>();
            Map<List<EndpointPort>, List<EndpointSlice>> byPorts = new LinkedHashMap<>();
            for (EndpointSlice slice : existing) {
                if (isOurs(slice)) {
                    byPorts.computeIfAbsent(DesiredEndpoints.sorted(slice.getPorts()), key -> new ArrayList<>())
                            .add(slice);
                } else {
                    toDelete.add(slice);
                }
            }
            desired.forEach((ports, endpoints) -> {
                Packing packing = new Packing(this, type, ports, byPorts.getOrDefault(ports, List.of()), endpoints);
                toCreate.addAll(packing.created);
                toUpdate.addAll(packing.updated.values());
                toDelete.addAll(packing.emptied);
            });
            byPorts.forEach((ports, slices) -> {
                if (!desired.containsKey(ports)) {
                    toDelete.addAll(slices);
                }
            });
            if (toDelete.size() == existing.size() && toCreate.isEmpty()) {
                keepPlaceholder(type, toCreate, toDelete);
            }
            reuse(toCreate, toUpdate, toDelete);
            create.addAll(toCreate);
            update.addAll(toUpdate);
            delete.addAll(toDelete);
        }

        /** A service without endpoints has one empty slice, so that its watchers know it has none. */
        private void keepPlaceholder(String type, List<EndpointSlice> toCreate, List<EndpointSlice> toDelete) {
            EndpointSlice placeholder = slice(type, List.of(), List.of());
            boolean there = toDelete.size() == 1
                    && isOurs(toDelete.getFirst())
                    && toDelete.getFirst().getEndpoints().isEmpty()
                    && toDelete.getFirst().getPorts().isEmpty()
                    && labels(service).equals(toDelete.getFirst().getMetadata().getLabels());
            if (there) {
                toDelete.clear();
            } else {
                toCreate.add(placeholder);
            }
        }

        private void reuse(List<EndpointSlice> toCreate, List<EndpointSlice> toUpdate, List<EndpointSlice> toDelete) {
            for (EndpointSlice doomed : List.copyOf(toDelete)) {
                if (!toCreate.isEmpty() && isOurs(doomed)) {
                    EndpointSlice fresh = toCreate.removeLast();
                    toDelete.remove(doomed);
                    toUpdate.add(changed(doomed, fresh.getPorts(), fresh.getEndpoints()));
                }
            }
        }

        private boolean isOurs(EndpointSlice slice) {
            return slice.getMetadata().getOwnerReferences().stream()
                    .anyMatch(
                            owner -> owner.getUid().equals(service.getMetadata().getUid())
                                    && owner.getKind().equals("Service"));
        }

        EndpointSlice slice(String type, List<EndpointPort> ports, List<Endpoint> endpoints) {
            return new EndpointSliceBuilder()
                    .withNewMetadata()
                    .withNamespace(service.getMetadata().getNamespace())
                    .withGenerateName(PodTemplates.prefix(service.getMetadata().getName()))
                    .withLabels(labels(service))
                    .withOwnerReferences(Owners.controlledBy(service))
                    .endMetadata()
                    .withAddressType(type)
                    .withPorts(ports)
                    .withEndpoints(endpoints)
                    .build();
        }

        EndpointSlice changed(EndpointSlice slice, List<EndpointPort> ports, List<Endpoint> endpoints) {
            return new EndpointSliceBuilder(slice)
                    .editMetadata()
                    .withLabels(labels(service))
                    .endMetadata()
                    .withPorts(ports)
                    .withEndpoints(endpoints)
                    .build();
        }
    }

    /** Puts the endpoints of one set of ports into slices. */
    private static final class Packing {
        final List<EndpointSlice> created = new ArrayList<>();
        final Map<String, EndpointSlice> updated = new LinkedHashMap<>();
        final List<EndpointSlice> emptied = new ArrayList<>();

        Packing(
                Draft draft,
                String type,
                List<EndpointPort> ports,
                List<EndpointSlice> existing,
                Map<DesiredEndpoints.Key, Endpoint> desired) {
            Map<DesiredEndpoints.Key, Endpoint> homeless = new LinkedHashMap<>(desired);
            Map<EndpointSlice, List<Endpoint>> filling = new LinkedHashMap<>();
            List<EndpointSlice> unchanged = new ArrayList<>();
            for (EndpointSlice slice : existing) {
                List<Endpoint> kept = new ArrayList<>();
                for (Endpoint endpoint : slice.getEndpoints()) {
                    Endpoint wanted = homeless.remove(DesiredEndpoints.Key.of(endpoint));
                    if (wanted != null) {
                        kept.add(wanted);
                    }
                }
                if (!kept.equals(slice.getEndpoints())) {
                    if (kept.isEmpty()) {
                        emptied.add(slice);
                    } else {
                        filling.put(slice, kept);
                    }
                } else if (!userLabels(slice.getMetadata().getLabels())
                        .equals(userLabels(draft.service.getMetadata().getLabels()))) {
                    filling.put(slice, kept);
                } else {
                    unchanged.add(slice);
                }
            }
            List<Endpoint> left = new ArrayList<>(homeless.values());
            filling.values().stream()
                    .sorted(Comparator.comparingInt((List<Endpoint> endpoints) -> endpoints.size())
                            .reversed())
                    .forEach(endpoints -> fill(endpoints, left));
            while (!left.isEmpty()) {
                EndpointSlice roomy = left.size() < CAPACITY ? roomFor(left.size(), unchanged) : null;
                List<Endpoint> endpoints = new ArrayList<>();
                if (roomy != null) {
                    unchanged.remove(roomy);
                    endpoints.addAll(roomy.getEndpoints());
                    filling.put(roomy, endpoints);
                }
                fill(endpoints, left);
                if (roomy == null) {
                    created.add(draft.slice(type, ports, endpoints));
                }
            }
            filling.forEach((slice, endpoints) ->
                    updated.put(slice.getMetadata().getName(), draft.changed(slice, ports, endpoints)));
        }

        private static void fill(List<Endpoint> endpoints, List<Endpoint> left) {
            int count = Math.min(left.size(), CAPACITY - endpoints.size());
            List<Endpoint> moved = left.subList(0, Math.max(0, count));
            endpoints.addAll(moved);
            moved.clear();
        }

        /** The slice that these would fill best. */
        private static EndpointSlice roomFor(int count, List<EndpointSlice> slices) {
            return slices.stream()
                    .filter(slice -> slice.getEndpoints().size() + count <= CAPACITY)
                    .max(Comparator.comparingInt(slice -> slice.getEndpoints().size()))
                    .orElse(null);
        }
    }

    private static Map<String, String> userLabels(Map<String, String> labels) {
        Map<String, String> user = labels == null ? new HashMap<>() : new HashMap<>(labels);
        user.keySet().removeAll(RESERVED);
        return user;
    }

    private static Map<String, String> labels(Service service) {
        Map<String, String> labels = userLabels(service.getMetadata().getLabels());
        labels.put(SERVICE_NAME, service.getMetadata().getName());
        labels.put(MANAGED_BY, CONTROLLER);
        if (ServicePods.isHeadless(service)) {
            labels.put(HEADLESS, "");
        }
        return labels;
    }
}
