package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.ListedMember;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.plan.Member;
import io.argosy.operators.plan.Situation;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterSpec;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Looks at a cluster. Pods and volumes are listed from the API server, not from a cache: what is about to be added to or taken away from a
 * database is decided by what is, not by what was a moment ago.
 */
final class Observer {
    private final KubernetesClient client;
    private final Etcd etcd;
    private final InstantSource clock;

    Observer(KubernetesClient client, Etcd etcd, InstantSource clock) {
        this.client = client;
        this.etcd = etcd;
        this.clock = clock;
    }

    Observation observe(EtcdCluster cluster) {
        Map<String, Pod> pods = own(
                cluster,
                client.pods()
                        .inNamespace(cluster.getMetadata().getNamespace())
                        .withLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                        .list()
                        .getItems());
        Map<String, PersistentVolumeClaim> volumes = own(
                cluster,
                client.persistentVolumeClaims()
                        .inNamespace(cluster.getMetadata().getNamespace())
                        .withLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                        .list()
                        .getItems());
        Map<String, Endpoint> endpoints = new HashMap<>();
        String trouble = null;
        try {
            ClientCredentials credentials = credentials(cluster);
            pods.forEach((name, pod) ->
                    endpoint(cluster, name, pod, credentials).ifPresent(endpoint -> endpoints.put(name, endpoint)));
        } catch (TlsException e) {
            trouble = e.getMessage();
        }
        Map<String, String> silence = new ConcurrentHashMap<>();
        Map<String, MemberStatus> answers = ask(endpoints, silence);
        Optional<Endpoint> spokesman = spokesman(endpoints, answers);
        Optional<List<ListedMember>> listed = spokesman.flatMap(this::list);
        List<ListedMember> known = listed.orElseGet(() -> remembered(endpoints, answers));
        if (trouble == null && answers.isEmpty() && !silence.isEmpty()) {
            trouble = silence.values().iterator().next();
        }
        return new Observation(
                situation(cluster, pods, volumes, answers, known, listed.isPresent()),
                pods,
                volumes,
                listed.flatMap(majority -> spokesman),
                answers.values().stream()
                        .map(answer -> Long.toHexString(answer.clusterId()))
                        .findFirst(),
                trouble);
    }

    private static <T extends HasMetadata> Map<String, T> own(EtcdCluster cluster, List<T> objects) {
        return objects.stream()
                .filter(object -> ClusterNames.isOwn(cluster, object))
                .filter(object -> object.getMetadata().getLabels().containsKey(Names.MEMBER_LABEL))
                .collect(Collectors.toMap(object -> object.getMetadata().getName(), Function.identity()));
    }

    private ClientCredentials credentials(EtcdCluster cluster) throws TlsException {
        return ClusterNames.isSecureForClients(cluster)
                ? TlsSecrets.operatorCredentials(
                        client,
                        cluster.getMetadata().getNamespace(),
                        cluster.getSpec().tls().operatorSecret())
                : null;
    }

    private static Optional<Endpoint> endpoint(
            EtcdCluster cluster, String member, Pod pod, ClientCredentials credentials) {
        String address = pod.getStatus() == null ? null : pod.getStatus().getPodIP();
        if (address == null
                || address.isEmpty()
                || !"Running".equals(pod.getStatus().getPhase())) {
            return Optional.empty();
        }
        return Optional.of(
                credentials == null
                        ? Endpoint.plain(address, ClusterNames.CLIENT_PORT)
                        : Endpoint.secure(
                                address, ClusterNames.CLIENT_PORT, ClusterNames.host(cluster, member), credentials));
    }

    /** All at once: one that is silent shall not keep the others waiting. */
    private Map<String, MemberStatus> ask(Map<String, Endpoint> endpoints, Map<String, String> silence) {
        Map<String, MemberStatus> answers = new ConcurrentHashMap<>();
        List<Thread> askers = endpoints.entrySet().stream()
                .map(entry -> Thread.startVirtualThread(() -> {
                    try {
                        answers.put(entry.getKey(), etcd.status(entry.getValue()));
                    } catch (EtcdException silent) {
                        silence.put(entry.getKey(), silent.getMessage());
                    }
                }))
                .toList();
        try {
            for (Thread asker : askers) {
                asker.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EtcdException("interrupted while members were asked", e);
        }
        return answers;
    }

    /** The leader, or else whoever has one. */
    private static Optional<Endpoint> spokesman(Map<String, Endpoint> endpoints, Map<String, MemberStatus> answers) {
        return answers.entrySet().stream()
                .filter(entry -> entry.getValue().leader() != 0)
                .max(Comparator.comparing(
                        entry -> entry.getValue().leader() == entry.getValue().memberId()))
                .map(entry -> endpoints.get(entry.getKey()));
    }

    private Optional<List<ListedMember>> list(Endpoint endpoint) {
        try {
            return Optional.of(etcd.members(endpoint));
        } catch (EtcdException noMajority) {
            return Optional.empty();
        }
    }

    /** Without a majority: as those remember it who got furthest. */
    private List<ListedMember> remembered(Map<String, Endpoint> endpoints, Map<String, MemberStatus> answers) {
        return answers.entrySet().stream()
                .max(Comparator.comparingLong(entry -> entry.getValue().raftIndex()))
                .map(entry -> {
                    try {
                        return etcd.rememberedMembers(endpoints.get(entry.getKey()));
                    } catch (EtcdException silent) {
                        return List.<ListedMember>of();
                    }
                })
                .orElse(List.of());
    }

    private Situation situation(
            EtcdCluster cluster,
            Map<String, Pod> pods,
            Map<String, PersistentVolumeClaim> volumes,
            Map<String, MemberStatus> answers,
            List<ListedMember> known,
            boolean listed) {
        EtcdClusterSpec spec = cluster.getSpec();
        EtcdClusterStatus before = cluster.getStatus();
        Map<String, ListedMember> byName =
                known.stream().collect(Collectors.toMap(Observer::name, Function.identity(), (first, second) -> first));
        TreeSet<String> names = new TreeSet<>(pods.keySet());
        names.addAll(volumes.keySet());
        names.addAll(byName.keySet());
        Instant now = clock.instant();
        List<Member> members = names.stream()
                .map(name -> member(
                        name,
                        byName.get(name),
                        answers.get(name),
                        pods.get(name),
                        volumes.get(name),
                        silentSince(before, name).orElse(now),
                        spec.version()))
                .toList();
        String keep = spec.consentedSurvivor();
        return new Situation(
                spec.size(),
                spec.version(),
                spec.pausing(),
                before != null && Objects.equals(before.recoveredFrom(), keep) ? null : keep,
                before != null && before.clusterId() != null,
                listed,
                members,
                now,
                spec.patience());
    }

    static String name(ListedMember member) {
        return member.name().isEmpty() && !member.peerUrls().isEmpty()
                ? ClusterNames.memberAt(member.peerUrls().getFirst())
                : member.name();
    }

    private static Optional<Instant> silentSince(EtcdClusterStatus before, String name) {
        return before == null || before.silent() == null
                ? Optional.empty()
                : before.silent().stream()
                        .filter(silent -> silent.name().equals(name))
                        .map(silent -> Instant.parse(silent.since()))
                        .findFirst();
    }

    private static Member member(
            String name,
            ListedMember listed,
            MemberStatus answer,
            Pod pod,
            PersistentVolumeClaim volume,
            Instant silentSince,
            String wanted) {
        boolean healthy =
                answer != null && answer.leader() != 0 && (listed == null || listed.id() == answer.memberId());
        HasMetadata noted = pod == null ? volume : pod;
        String version = noted == null ? null : MemberNotes.of(noted).version();
        return new Member(
                name,
                listed == null ? null : listed.id(),
                listed == null || !listed.name().isEmpty(),
                listed != null && listed.learner(),
                answer != null && answer.leader() == answer.memberId(),
                healthy,
                healthy ? null : silentSince,
                podState(pod),
                volumeState(volume),
                volume != null && isRestored(volume),
                pod != null && MemberNotes.of(pod).force(),
                version == null ? wanted : version,
                answer == null ? 0 : answer.raftIndex());
    }

    private static boolean isRestored(PersistentVolumeClaim volume) {
        Map<String, String> notes = volume.getMetadata().getAnnotations();
        return notes != null && notes.containsKey(Names.RESTORED_NOTE);
    }

    private static Member.Pod podState(Pod pod) {
        if (pod == null) {
            return Member.Pod.ABSENT;
        }
        if (pod.getMetadata().getDeletionTimestamp() != null) {
            return Member.Pod.LEAVING;
        }
        String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
        return "Failed".equals(phase) || "Succeeded".equals(phase) ? Member.Pod.FAILED : Member.Pod.PRESENT;
    }

    private static Member.Volume volumeState(PersistentVolumeClaim volume) {
        if (volume == null) {
            return Member.Volume.NONE;
        }
        if (volume.getMetadata().getDeletionTimestamp() != null) {
            return Member.Volume.LEAVING;
        }
        return volume.getStatus() != null && "Lost".equals(volume.getStatus().getPhase())
                ? Member.Volume.LOST
                : Member.Volume.PRESENT;
    }
}
