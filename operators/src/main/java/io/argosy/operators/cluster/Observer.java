package io.argosy.operators.cluster;

import io.argosy.operators.cluster.RollCall.Roll;
import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.ListedMember;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.plan.EtcdVersion;
import io.argosy.operators.plan.Member;
import io.argosy.operators.plan.Member.Obstacle;
import io.argosy.operators.plan.Situation;
import io.argosy.operators.plan.Situation.Trust;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterSpec;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks at a cluster. Pods and volumes are listed from the API server, not from a cache: what is about to be added to or taken away from a
 * database is decided by what is, not by what was a moment ago.
 */
final class Observer {
    private static final Duration LONGEST_REST = Duration.ofMinutes(1);

    private final KubernetesClient client;
    private final Etcd etcd;
    private final InstantSource clock;

    Observer(KubernetesClient client, Etcd etcd, InstantSource clock) {
        this.client = client;
        this.etcd = etcd;
        this.clock = clock;
    }

    Map<String, Pod> pods(EtcdCluster cluster) {
        return own(
                cluster,
                client.pods()
                        .inNamespace(cluster.getMetadata().getNamespace())
                        .withLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                        .list()
                        .getItems());
    }

    Observation observe(EtcdCluster cluster, Map<String, Pod> pods, Certificates certificates) {
        Map<String, PersistentVolumeClaim> volumes = own(
                cluster,
                client.persistentVolumeClaims()
                        .inNamespace(cluster.getMetadata().getNamespace())
                        .withLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                        .list()
                        .getItems());
        Map<String, Endpoint> endpoints = new HashMap<>();
        if (certificates.credentials() != null || !ClusterNames.isSecureForClients(cluster)) {
            pods.forEach((name, pod) -> endpoint(cluster, name, pod, certificates.credentials())
                    .ifPresent(endpoint -> endpoints.put(name, endpoint)));
        }
        Optional<String> seed = volumes.values().stream()
                .filter(Observer::isRestored)
                .map(volume -> volume.getMetadata().getName())
                .findFirst();
        Roll roll = RollCall.of(etcd, cluster, endpoints, seed);
        Collection<MemberStatus> answers = roll.answers().values();
        String trouble = certificates.good() ? null : certificates.message();
        Trust trust = new Trust(stale(pods, certificates), certificates.cutOff(), answers.isEmpty() ? trouble : null);
        if (trouble == null && answers.isEmpty() && !roll.silence().isEmpty()) {
            trouble = roll.silence().values().iterator().next();
        }
        return new Observation(
                situation(cluster, pods, volumes, roll, trust),
                pods,
                volumes,
                roll.majority(),
                certificates,
                answers.stream()
                        .flatMap(answer -> answer.errors().stream())
                        .distinct()
                        .sorted()
                        .toList(),
                mismatches(cluster, pods, roll.answers()),
                trouble);
    }

    /** Members that say they are of another version than they were started as. */
    private static List<String> mismatches(
            EtcdCluster cluster, Map<String, Pod> pods, Map<String, MemberStatus> answers) {
        return new TreeMap<>(answers)
                .entrySet().stream()
                        .filter(answer -> !answer.getValue()
                                .version()
                                .equals(MemberNotes.of(pods.get(answer.getKey()))
                                        .version()))
                        .map(answer -> answer.getKey() + " was started as "
                                + cluster.getSpec()
                                        .image(MemberNotes.of(pods.get(answer.getKey()))
                                                .version())
                                + " and says that it is etcd "
                                + answer.getValue().version())
                        .toList();
    }

    /** Pods in which etcd trusts others than it should by now. */
    private static Set<String> stale(Map<String, Pod> pods, Certificates certificates) {
        return certificates.trust() == null
                ? Set.of()
                : pods.entrySet().stream()
                        .filter(pod -> !certificates.trust().equals(CertificateKeeper.trust(pod.getValue())))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet());
    }

    private static <T extends HasMetadata> Map<String, T> own(EtcdCluster cluster, List<T> objects) {
        return objects.stream()
                .filter(object -> ClusterNames.isOwn(cluster, object))
                .filter(object -> object.getMetadata().getLabels().containsKey(Names.MEMBER_LABEL))
                .collect(Collectors.toMap(object -> object.getMetadata().getName(), Function.identity()));
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

    private Situation situation(
            EtcdCluster cluster,
            Map<String, Pod> pods,
            Map<String, PersistentVolumeClaim> volumes,
            Roll roll,
            Trust trust) {
        EtcdClusterSpec spec = cluster.getSpec();
        EtcdClusterStatus before = cluster.getStatus();
        Map<String, ListedMember> byName = roll.known().stream()
                .collect(Collectors.toMap(
                        listed -> name(cluster, listed), Function.identity(), (first, second) -> first));
        TreeSet<String> names = new TreeSet<>(pods.keySet());
        names.addAll(volumes.keySet());
        names.addAll(byName.keySet());
        Instant now = clock.instant();
        Silence silence = new Silence(before, now);
        List<Member> members = names.stream()
                .map(name -> member(
                        name,
                        byName.get(name),
                        roll.answers().get(name),
                        pods.get(name),
                        volumes.get(name),
                        hasNoImage(pods.get(name)) ? now : silence.since(name),
                        now,
                        cluster))
                .toList();
        String keep = spec.consentedSurvivor();
        return new Situation(
                spec.size(),
                spec.version(),
                current(before, roll.majority().isPresent(), members),
                spec.pausing(),
                before != null && Objects.equals(before.recoveredFrom(), keep) ? null : keep,
                before != null && before.clusterId() != null,
                roll.majority().isPresent(),
                roll.majority()
                        .filter(spokesman ->
                                before != null && spokesman.clusterId().equals(before.clusterId()))
                        .isPresent(),
                members,
                now,
                spec.patience(),
                trust);
    }

    /** A member that was to run another version and has not answered since still counts as it was. */
    private static String current(EtcdClusterStatus before, boolean listed, List<Member> members) {
        List<Member> counted = members.stream()
                .filter(member -> !listed || member.id() != null)
                .toList();
        boolean answered = listed && counted.stream().allMatch(Member::healthy);
        return Stream.concat(
                        counted.stream().map(Member::version),
                        answered || before == null ? Stream.of() : Stream.ofNullable(before.currentVersion()))
                .min(Comparator.comparing(EtcdVersion::parse))
                .orElse(null);
    }

    /** A member that has not told its name yet is known by where it will be; one that is none of ours, by its address. */
    private static String name(EtcdCluster cluster, ListedMember member) {
        if (!member.name().isEmpty() || member.peerUrls().isEmpty()) {
            return member.name();
        }
        String url = member.peerUrls().getFirst();
        return ClusterNames.memberAt(cluster, url).orElse(url);
    }

    private static Member member(
            String name,
            ListedMember listed,
            MemberStatus answer,
            Pod pod,
            PersistentVolumeClaim volume,
            Instant silentSince,
            Instant now,
            EtcdCluster cluster) {
        boolean healthy =
                answer != null && answer.leader() != 0 && (listed == null || listed.id() == answer.memberId());
        HasMetadata noted = pod == null ? volume : pod;
        String version = noted == null ? null : MemberNotes.of(noted).version();
        return new Member(
                name,
                listed == null ? null : listed.id(),
                listed == null || !listed.name().isEmpty() || listed.peerUrls().contains(name),
                listed != null && listed.learner(),
                answer != null && answer.leader() == answer.memberId(),
                healthy,
                healthy ? null : silentSince,
                podState(pod, silentSince, now),
                volumeState(volume),
                volume != null && isRestored(volume),
                (pod != null && MemberNotes.of(pod).force())
                        || (volume != null && MemberNotes.of(volume).force()),
                version == null ? cluster.getSpec().version() : version,
                answer == null ? 0 : answer.raftIndex(),
                healthy ? Obstacle.NONE : obstacle(pod),
                !healthy && pod != null && isChanged(cluster, pod, volume));
    }

    /** Nobody's silence: it begins when there could be an answer. */
    private static boolean hasNoImage(Pod pod) {
        return obstacle(pod) == Obstacle.IMAGE;
    }

    private static Obstacle obstacle(Pod pod) {
        return Optional.ofNullable(pod)
                .flatMap(PodTrouble::of)
                .map(trouble -> trouble.image() ? Obstacle.IMAGE : Obstacle.OTHER)
                .orElse(Obstacle.NONE);
    }

    /** Whether the pod, or a volume that was never used, would be made otherwise by now. */
    private static boolean isChanged(EtcdCluster cluster, Pod pod, PersistentVolumeClaim volume) {
        MemberObjects objects = new MemberObjects(cluster);
        String name = pod.getMetadata().getName();
        MemberNotes notes = MemberNotes.of(volume == null ? pod : volume);
        boolean unused = volume != null
                && volume.getStatus() != null
                && "Pending".equals(volume.getStatus().getPhase());
        return MemberObjects.isOther(pod, objects.pod(name, notes, volume != null))
                || (unused && MemberObjects.isOther(volume, objects.volume(name, notes)));
    }

    private static boolean isRestored(PersistentVolumeClaim volume) {
        Map<String, String> notes = volume.getMetadata().getAnnotations();
        return notes != null && notes.containsKey(Names.RESTORED_NOTE);
    }

    private static Member.Pod podState(Pod pod, Instant silentSince, Instant now) {
        if (pod == null) {
            return Member.Pod.ABSENT;
        }
        if (pod.getMetadata().getDeletionTimestamp() != null) {
            return Member.Pod.LEAVING;
        }
        String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
        if (!"Failed".equals(phase) && !"Succeeded".equals(phase)) {
            return Member.Pod.PRESENT;
        }
        return rest(silentSince, now)
                                .compareTo(Duration.between(
                                        Instant.parse(pod.getMetadata().getCreationTimestamp()), now))
                        > 0
                ? Member.Pod.RESTING
                : Member.Pod.FAILED;
    }

    /** How old a failed pod must be before another is made: the longer the member has been silent, the less there is to hurry. */
    private static Duration rest(Instant silentSince, Instant now) {
        Duration half = Duration.between(silentSince, now).dividedBy(2);
        return half.compareTo(LONGEST_REST) < 0 ? half : LONGEST_REST;
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
