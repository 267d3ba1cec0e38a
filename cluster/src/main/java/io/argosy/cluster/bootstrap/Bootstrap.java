package io.argosy.cluster.bootstrap;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.presence.EndpointWriter;
import io.argosy.server.presence.ListedEndpoints;
import io.argosy.server.presence.ListedEndpoints.Port;
import io.argosy.server.rest.LocalApi;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The objects every cluster has from its first moment: namespaces, priority classes, the storage class, and the Services by which pods reach the cluster. */
public final class Bootstrap {
    private static final GroupVersion CORE = new GroupVersion("", "v1");
    private static final List<String> NAMESPACES = List.of("default", "kube-system", "kube-public", "kube-node-lease");

    private final LocalApi api;

    public Bootstrap(LocalApi api) {
        this.api = api;
    }

    public void namespaces() {
        for (String name : NAMESPACES) {
            ensure(CORE, "namespaces", "", name, """
                {"kind":"Namespace","apiVersion":"v1","metadata":{"name":"%s"}}""".formatted(name));
        }
    }

    public void priorityClasses() {
        priorityClass(
                "system-node-critical",
                2000001000,
                "Used for system critical pods that must not be moved from their" + " current node.");
        priorityClass(
                "system-cluster-critical",
                2000000000,
                "Used for system critical pods that must run in the cluster, but"
                        + " can be moved to another node if necessary.");
    }

    private void priorityClass(String name, int value, String description) {
        ensure(new GroupVersion("scheduling.k8s.io", "v1"), "priorityclasses", "", name, """
            {"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{"name":"%s"},"value":%d,
             "description":"%s"}""".formatted(
                        name, value, description));
    }

    /** The class of claims that name none: folders on the node where the claim's first pod runs. */
    public void storageClass() {
        ensure(new GroupVersion("storage.k8s.io", "v1"), "storageclasses", "", "local-path", """
            {"kind":"StorageClass","apiVersion":"storage.k8s.io/v1",
             "metadata":{"name":"local-path","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},
             "provisioner":"argosy.io/local","reclaimPolicy":"Delete","volumeBindingMode":"WaitForFirstConsumer",
             "allowVolumeExpansion":true}""");
    }

    /** What other API servers must know to believe our clients' certificates, and us when we say who a request is from. */
    public void extensionAuthentication(String clientAuthority, String proxyAuthority) {
        ObjectNode map = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        map.putObject("metadata")
                .put("name", "extension-apiserver-authentication")
                .put("namespace", "kube-system");
        map.putObject("data")
                .put("client-ca-file", clientAuthority)
                .put("requestheader-allowed-names", "[\"front-proxy-client\"]")
                .put("requestheader-client-ca-file", proxyAuthority)
                .put("requestheader-extra-headers-prefix", "[\"X-Remote-Extra-\"]")
                .put("requestheader-group-headers", "[\"X-Remote-Group\"]")
                .put("requestheader-uid-headers", "[\"X-Remote-Uid\"]")
                .put("requestheader-username-headers", "[\"X-Remote-User\"]");
        put(CORE, "configmaps", "kube-system", "extension-apiserver-authentication", map);
    }

    /** The object of the range that Services have their addresses from, unless somebody made another. */
    public void serviceRange(String cidrs) {
        ensure(new GroupVersion("networking.k8s.io", "v1"), "servicecidrs", "", "kubernetes", """
                {"kind":"ServiceCIDR","apiVersion":"networking.k8s.io/v1","metadata":{"name":"kubernetes"},
                 "spec":{"cidrs":["%s"]}}""".formatted(
                        String.join("\",\"", cidrs.split(","))));
    }

    /** The Service under which pods reach the API servers. */
    public void kubernetesService(String serviceAddress, int serverPort) {
        ensure(CORE, "services", "default", "kubernetes", """
            {"kind":"Service","apiVersion":"v1",
             "metadata":{"name":"kubernetes","namespace":"default",
                         "labels":{"component":"apiserver","provider":"kubernetes"}},
             "spec":{"clusterIP":"%s","type":"ClusterIP","sessionAffinity":"None",
                     "ports":[{"name":"https","protocol":"TCP","port":443,"targetPort":%d}]}}""".formatted(serviceAddress, serverPort));
    }

    /** The Service under which pods reach the cluster's DNS. */
    public void dnsService(String serviceAddress, String serverAddress, int serverPort) {
        ensure(CORE, "services", "kube-system", "kube-dns", """
            {"kind":"Service","apiVersion":"v1",
             "metadata":{"name":"kube-dns","namespace":"kube-system",
                         "labels":{"k8s-app":"kube-dns","kubernetes.io/name":"CoreDNS"}},
             "spec":{"clusterIP":"%s","type":"ClusterIP",
                     "ports":[{"name":"dns","protocol":"UDP","port":53,"targetPort":%d},
                              {"name":"dns-tcp","protocol":"TCP","port":53,"targetPort":%d}]}}""".formatted(serviceAddress, serverPort, serverPort));
        new EndpointWriter(api)
                .write(new ListedEndpoints(
                        "kube-system",
                        "kube-dns",
                        List.of(serverAddress),
                        List.of(new Port("dns", "UDP", serverPort), new Port("dns-tcp", "TCP", serverPort))));
    }

    /** Makes the object if it is not there; one that is there stays as its users left it. */
    private void ensure(GroupVersion version, String resource, String namespace, String name, String json) {
        if (exists(version, resource, namespace, name)) {
            return;
        }
        try {
            send("create", version, resource, namespace, "", json.getBytes(StandardCharsets.UTF_8));
        } catch (ApiException refusal) {
            if (!refusal.is(Reason.AlreadyExists)) { // by another server that starts now
                throw refusal;
            }
        }
    }

    /** Makes the object what it should be. */
    private void put(GroupVersion version, String resource, String namespace, String name, ObjectNode object) {
        if (exists(version, resource, namespace, name)) {
            send("update", version, resource, namespace, name, Json.encode(object));
        } else {
            send("create", version, resource, namespace, "", Json.encode(object));
        }
    }

    private boolean exists(GroupVersion version, String resource, String namespace, String name) {
        try {
            send("get", version, resource, namespace, name, new byte[0]);
            return true;
        } catch (ApiException refusal) {
            if (refusal.is(Reason.NotFound)) {
                return false;
            }
            throw refusal;
        }
    }

    private void send(String verb, GroupVersion version, String resource, String namespace, String name, byte[] body) {
        api.send(new LocalApi.Call(verb, version, resource, namespace, name, "", Map.of(), "application/json", body));
    }
}
