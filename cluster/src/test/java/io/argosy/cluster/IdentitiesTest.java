package io.argosy.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.model.Models;
import io.argosy.store.memory.MemoryLog;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every part of the process works under its own name, with that name's rights and no others; a busy cluster finds out what is missing. */
@Timeout(120)
class IdentitiesTest {
    private final Queue<String> refusals = new ConcurrentLinkedQueue<>();
    private final Set<String> writers = ConcurrentHashMap.newKeySet();
    private final Cluster cluster = Cluster.builder()
            .inMemory(new MemoryLog())
            .simulatedNodes(2)
            .transports(Recording::new)
            .start();
    private final Client client = cluster.client();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** A namespace that ends takes nothing new, from whomever. */
    private void refused(ApiException refusal) {
        if (refusal.is(Reason.Forbidden) && !refusal.getMessage().endsWith("because it is being terminated")) {
            refusals.add(refusal.getMessage());
        }
    }

    private final class Recording implements ApiTransport {
        private final String user;
        private final ApiTransport next;

        Recording(String user, ApiTransport next) {
            this.user = user;
            this.next = next;
        }

        @Override
        public Response send(Request request) {
            if (!Set.of(Verb.GET, Verb.LIST).contains(request.verb())) {
                writers.add(user);
            }
            try {
                return next.send(request);
            } catch (ApiException refusal) {
                refused(refusal);
                throw refusal;
            }
        }

        @Override
        public Watch watch(Request request, WatchSink sink) {
            return next.watch(request, new WatchSink() {
                @Override
                public void event(String type, byte[] object, long revision) {
                    sink.event(type, object, revision);
                }

                @Override
                public void closed(RuntimeException cause) {
                    if (cause instanceof ApiException refusal) {
                        refused(refusal);
                    }
                    sink.closed(cause);
                }
            });
        }
    }

    private <T extends HasMetadata> void create(Class<T> type, String json) {
        client.resources(type).create(Models.decode(json.replace('\'', '"').getBytes(UTF_8), type));
    }

    private List<String> owners(Class<? extends HasMetadata> type, String name) {
        return client.resources(type).find("shop", name).orElseThrow().getMetadata().getManagedFields().stream()
                .map(ManagedFieldsEntry::getManager)
                .distinct()
                .toList();
    }

    private static String template(String app) {
        return "'template':{'metadata':{'labels':{'app':'" + app + "'}},'spec':{'terminationGracePeriodSeconds':0,"
                + "'containers':[{'name':'c','image':'i'}]}}";
    }

    private static String workload(String name, String more) {
        return "{'metadata':{'name':'" + name + "','namespace':'shop'},'spec':{'selector':{'matchLabels':{'app':'"
                + name + "'}}," + more + template(name) + "}}";
    }

    @Test
    void aBusyClusterRefusesNoneOfItsParts() {
        create(Namespace.class, "{'metadata':{'name':'shop'}}");
        eventually(
                "a service account",
                () -> client.resources(ServiceAccount.class)
                        .find("shop", "default")
                        .isPresent());
        create(Deployment.class, workload("web", "'replicas':2,"));
        create(DaemonSet.class, workload("agent", ""));
        create(
                StatefulSet.class,
                workload(
                        "db",
                        "'replicas':1,'serviceName':'db','volumeClaimTemplates':[{'metadata':{'name':'data'},"
                                + "'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}],"));
        create(Job.class, """
            {'metadata':{'name':'once','namespace':'shop'},'spec':{'ttlSecondsAfterFinished':0,'template':{
             'metadata':{'annotations':{'simulated.argosy.io/exit-after':'1ms'}},
             'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}\
            """);
        create(CronJob.class, """
            {'metadata':{'name':'often','namespace':'shop'},'spec':{'schedule':'* * * * *','jobTemplate':{'spec':{
             'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}}}\
            """);
        create(Service.class, """
            {'metadata':{'name':'web','namespace':'shop'},
             'spec':{'type':'LoadBalancer','selector':{'app':'web'},'ports':[{'port':80}]}}\
            """);
        create(PodDisruptionBudget.class, """
            {'metadata':{'name':'web','namespace':'shop'},
             'spec':{'minAvailable':1,'selector':{'matchLabels':{'app':'web'}}}}\
            """);
        eventually("everything runs", () -> running("web") == 2 && running("agent") == 2 && running("db") == 1);
        assertThat(owners(Deployment.class, "web")).contains("kube-controller-manager");
        eventually(
                "endpoints",
                () -> !client.resources(EndpointSlice.class)
                        .list("shop", Map.of())
                        .isEmpty());
        scaleDown();
        endTokens();
        loseANode();
        eventually(
                "events",
                () -> !client.resources(Event.class).list("shop", Map.of()).isEmpty());
        client.resources(Namespace.class).delete("", "shop", DeleteOptions.background());
        eventually(
                "no namespace",
                () -> client.resources(Namespace.class).find("", "shop").isEmpty());

        eventually(
                "built-in roles are aggregated",
                () -> writers.contains("system:serviceaccount:kube-system:clusterrole-aggregation-controller"));
        assertThat(refusals).isEmpty();
        for (Node node : client.resources(Node.class).list("", Map.of())) {
            assertThat(writers).contains("system:node:" + node.getMetadata().getName());
        }
        assertThat(writers)
                .contains(
                        "system:kube-scheduler",
                        "system:serviceaccount:kube-system:deployment-controller",
                        "system:serviceaccount:kube-system:daemon-set-controller",
                        "system:serviceaccount:kube-system:statefulset-controller",
                        "system:serviceaccount:kube-system:job-controller",
                        "system:serviceaccount:kube-system:persistent-volume-binder",
                        "system:serviceaccount:kube-system:local-volume-provisioner",
                        "system:serviceaccount:kube-system:token-cleaner",
                        "system:kube-controller-manager",
                        "system:serviceaccount:kube-system:namespace-controller");
    }

    private void scaleDown() {
        client.resources(Deployment.class)
                .patch("shop", "web", Resources.PatchType.MERGE, patch("{'spec':{'replicas':1}}"));
        eventually("one is left", () -> running("web") == 1);
    }

    private void endTokens() {
        create(Secret.class, """
            {'metadata':{'name':'bootstrap-token-abcdef','namespace':'kube-system'},
             'type':'bootstrap.kubernetes.io/token','stringData':{'expiration':'2020-01-01T00:00:00Z'}}\
            """);
        create(ServiceAccount.class, "{'metadata':{'name':'brief','namespace':'shop'}}");
        create(Secret.class, """
            {'metadata':{'name':'of-brief','namespace':'shop',
              'annotations':{'kubernetes.io/service-account.name':'brief'}},
             'type':'kubernetes.io/service-account-token'}\
            """);
        assertThat(client.resources(Secret.class).get("shop", "of-brief").getData())
                .containsKeys("token", "ca.crt", "namespace");
        client.resources(ServiceAccount.class).delete("shop", "brief", DeleteOptions.DEFAULT);
        eventually(
                "no token of an account that is gone",
                () -> client.resources(Secret.class).find("shop", "of-brief").isEmpty());
        eventually(
                "no token that has expired",
                () -> client.resources(Secret.class)
                        .find("kube-system", "bootstrap-token-abcdef")
                        .isEmpty());
    }

    /** Its pods are evicted by the taint that somebody puts on it. */
    private void loseANode() {
        String lost = client.resources(Node.class)
                .list("", Map.of())
                .getFirst()
                .getMetadata()
                .getName();
        client.resources(Node.class)
                .patch(
                        "",
                        lost,
                        Resources.PatchType.MERGE,
                        patch("{'spec':{'taints':[{'key':'gone','effect':'NoExecute'}]}}"));
        eventually(
                "nothing but agents runs there",
                () -> client.resources(Pod.class).list("shop", Map.of()).stream()
                        .noneMatch(pod -> lost.equals(pod.getSpec().getNodeName())
                                && pod.getMetadata().getDeletionTimestamp() == null));
    }

    private static ObjectNode patch(String json) {
        return Json.decodeObject(json.replace('\'', '"').getBytes(UTF_8));
    }

    private long running(String app) {
        return client.resources(Pod.class).list("shop", Map.of("labelSelector", "app=" + app)).stream()
                .filter(pod -> pod.getStatus() != null
                        && "Running".equals(pod.getStatus().getPhase())
                        && pod.getMetadata().getDeletionTimestamp() == null)
                .count();
    }

    private void eventually(String what, BooleanSupplier condition) {
        Eventually.eventually(
                what,
                condition,
                () -> List.of(
                        refusals,
                        client.resources(PersistentVolumeClaim.class).list("", Map.of()),
                        client.resources(Pod.class).list("", Map.of())));
    }
}
