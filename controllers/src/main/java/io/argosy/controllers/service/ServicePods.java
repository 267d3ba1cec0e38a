package io.argosy.controllers.service;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Ip;
import io.argosy.client.LabelSelectors;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.informer.Informer;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Service;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Which pods stand behind a service, and which services must hear of a change of a pod. */
public final class ServicePods {
    private final Informer<Service> services;
    private final Informer<Pod> pods;

    public ServicePods(Informer<Service> services, Informer<Pod> pods) {
        this.services = services;
        this.pods = pods;
    }

    /** Has its endpoints made for it; a service without selector, or a mere alias, has not. */
    public static boolean isManaged(Service service) {
        Map<String, String> selector = service.getSpec().getSelector();
        return selector != null
                && !selector.isEmpty()
                && !"ExternalName".equals(service.getSpec().getType());
    }

    public static boolean isHeadless(Service service) {
        String ip = service.getSpec().getClusterIP();
        return ip == null || ip.isEmpty() || ip.equals("None");
    }

    public List<Pod> of(Service service) {
        List<Pod> selected = new ArrayList<>();
        for (Pod pod : pods.list(service.getMetadata().getNamespace())) {
            if (LabelSelectors.containsAll(
                    pod.getMetadata().getLabels(), service.getSpec().getSelector())) {
                selected.add(pod);
            }
        }
        return selected;
    }

    public Set<NamespacedName> servicesOf(Pod pod) {
        Set<NamespacedName> names = new HashSet<>();
        for (Service service : services.list(pod.getMetadata().getNamespace())) {
            if (isManaged(service)
                    && LabelSelectors.containsAll(
                            pod.getMetadata().getLabels(), service.getSpec().getSelector())) {
                names.add(NamespacedName.of(
                        service.getMetadata().getNamespace(),
                        service.getMetadata().getName()));
            }
        }
        return names;
    }

    /** Puts the services of a pod into the queue, but only for changes that endpoints can show. */
    public Informer.Handler<Pod> wake(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Pod pod) {
                servicesOf(pod).forEach(queue::add);
            }

            @Override
            public void updated(Pod before, Pod after) {
                if (!Objects.equals(
                        before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
                    servicesOf(before).forEach(queue::add);
                    servicesOf(after).forEach(queue::add);
                } else if (showsInEndpoints(before, after)) {
                    servicesOf(after).forEach(queue::add);
                }
            }

            @Override
            public void deleted(Pod last) {
                servicesOf(last).forEach(queue::add);
            }
        };
    }

    static boolean showsInEndpoints(Pod before, Pod after) {
        return Pods.isDeleting(before) != Pods.isDeleting(after)
                || Pods.isReady(before) != Pods.isReady(after)
                || Pods.isTerminal(before) != Pods.isTerminal(after)
                || !ips(before).equals(ips(after))
                || !Pods.nodeName(before).equals(Pods.nodeName(after))
                || !Objects.equals(
                        before.getSpec().getHostname(), after.getSpec().getHostname())
                || !Objects.equals(
                        before.getSpec().getSubdomain(), after.getSpec().getSubdomain());
    }

    /** Has an address and is not finished; a pod on its way out counts only where that can be said of it. */
    public static boolean isReachable(Pod pod, boolean includeTerminating) {
        return !Pods.isTerminal(pod) && !ips(pod).isEmpty() && (includeTerminating || !Pods.isDeleting(pod));
    }

    /** In the plain form, which is the only one that slices take of IPv6. */
    public static List<String> ips(Pod pod) {
        PodStatus status = pod.getStatus();
        if (status == null) {
            return List.of();
        }
        List<String> ips = new ArrayList<>();
        status.getPodIPs().forEach(ip -> ips.add(ip.getIp()));
        if (ips.isEmpty() && status.getPodIP() != null && !status.getPodIP().isEmpty()) {
            ips.add(status.getPodIP());
        }
        return ips.stream().map(ip -> Ip.parse(ip).toString()).toList();
    }

    public static boolean isIpv6(String ip) {
        return ip.indexOf(':') >= 0;
    }

    /** The name under which the pod is found in the service's domain, or null. */
    public static String hostname(Pod pod, Service service) {
        String hostname = pod.getSpec().getHostname();
        boolean named = hostname != null
                && !hostname.isEmpty()
                && service.getMetadata().getName().equals(pod.getSpec().getSubdomain());
        return named ? hostname : null;
    }
}
