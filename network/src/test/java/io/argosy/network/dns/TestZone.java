package io.argosy.network.dns;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import io.argosy.network.TestServices;
import java.util.Arrays;
import java.util.List;

/** A small cluster's names, of every kind there is. */
final class TestZone {
    static final DnsZone.Settings SETTINGS = new DnsZone.Settings(
            "cluster.local",
            5,
            List.of(Ip.parse("10.96.0.10")),
            List.of(Cidr.parse("10.96.0.0/16"), Cidr.parse("10.244.0.0/16")));

    private static final ServiceView.Port HTTP = new ServiceView.Port("http", Protocol.TCP, 80, 0);

    private TestZone() {}

    static DnsZone zone() {
        NamespacedName web = NamespacedName.of("default", "web");
        NamespacedName nginx = NamespacedName.of("default", "nginx");
        NamespacedName waiting = NamespacedName.of("default", "waiting");
        NamespacedName cart = NamespacedName.of("default", "cart");
        NamespacedName twin = NamespacedName.of("default", "twin");
        return DnsZone.empty(SETTINGS)
                .with(TestServices.byName(
                        new ServiceEntry(
                                ServiceView.clusterIp(
                                        web,
                                        List.of(Ip.parse("10.96.0.20"), Ip.parse("fd00:10:96::20")),
                                        List.of(HTTP, new ServiceView.Port("", Protocol.UDP, 53, 0))),
                                List.of()),
                        new ServiceEntry(
                                ServiceView.headless(nginx, List.of(HTTP)),
                                List.of(group(
                                        nginx,
                                        Endpoint.ready(Ip.parse("10.244.0.5")).named("web-0"),
                                        Endpoint.ready(Ip.parse("10.244.0.6")).named("web-1"),
                                        Endpoint.ready(Ip.parse("10.244.0.7")),
                                        Endpoint.notReady(Ip.parse("10.244.0.8"))
                                                .named("web-3")))),
                        new ServiceEntry(
                                ServiceView.headless(waiting, List.of(HTTP)),
                                List.of(group(waiting, Endpoint.notReady(Ip.parse("10.244.0.9"))))),
                        new ServiceEntry(
                                ServiceView.headless(NamespacedName.of("default", "empty"), List.of(HTTP)), List.of()),
                        new ServiceEntry(
                                ServiceView.clusterIp(cart, List.of(Ip.parse("10.96.0.21")), List.of(HTTP)),
                                List.of(group(
                                        cart,
                                        Endpoint.ready(Ip.parse("10.244.0.20")).named("cart-0"),
                                        Endpoint.ready(Ip.parse("10.244.0.21")),
                                        Endpoint.notReady(Ip.parse("10.244.0.22"))
                                                .named("cart-2")))),
                        new ServiceEntry(
                                ServiceView.headless(twin, List.of(HTTP)),
                                List.of(
                                        group(
                                                twin,
                                                Endpoint.ready(Ip.parse("10.244.0.30"))
                                                        .named("t-0")),
                                        group(
                                                twin,
                                                Endpoint.ready(Ip.parse("fd00:10:244::30"))
                                                        .named("t-0")))),
                        external("number", "192.0.2.9"),
                        external("dotted", "web.default.svc.cluster.local."),
                        external("lost", "nosuch.default.svc.cluster.local"),
                        external("round", "about.other.svc.cluster.local"),
                        external("about", "round.other.svc.cluster.local"),
                        external("pod", "10-1-2-3.default.pod.cluster.local"),
                        new ServiceEntry(
                                ServiceView.externalName(NamespacedName.of("default", "db"), "db.example.com"),
                                List.of()),
                        external("alias", "web.default.svc.cluster.local")))
                .withNamespaces(List.of("default", "kube-system")::contains);
    }

    /** A headless Service with so many endpoints that a datagram does not hold them. */
    static DnsZone crowded() {
        NamespacedName crowd = NamespacedName.of("default", "crowd");
        Endpoint[] endpoints = new Endpoint[200];
        Arrays.setAll(endpoints, i -> Endpoint.ready(Ip.parse("10.244.1." + i)));
        return DnsZone.empty(SETTINGS)
                .with(TestServices.byName(new ServiceEntry(
                        ServiceView.headless(crowd, List.of(HTTP)), List.of(group(crowd, endpoints)))));
    }

    private static ServiceEntry external(String name, String target) {
        return new ServiceEntry(ServiceView.externalName(NamespacedName.of("other", name), target), List.of());
    }

    private static EndpointGroup group(NamespacedName service, Endpoint... endpoints) {
        return new EndpointGroup(
                service,
                service.name() + "-1",
                List.of(new EndpointGroup.Port("http", Protocol.TCP, 8080)),
                Arrays.asList(endpoints));
    }
}
