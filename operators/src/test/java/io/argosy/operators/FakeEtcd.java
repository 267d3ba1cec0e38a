package io.argosy.operators;

import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * The membership of etcd clusters, over the pods of simulated nodes: who runs, with which flags and on which disk, decides who is a member
 * of what. Like etcd it refuses changes without a majority and remembers on its disks; unlike etcd it also complains when the operator
 * endangers a majority.
 */
public final class FakeEtcd implements Etcd {
    private final KubernetesClient client;
    private final PeerTrust trust;
    private final Map<String, Disk> disks = new HashMap<>();
    private final Map<Long, Cluster> clusters = new HashMap<>();
    private final Map<String, CountDownLatch> hanging = new ConcurrentHashMap<>();
    private List<String> alarms = List.of();
    private final Set<String> silenced = new HashSet<>();
    private final Map<String, String> impostors = new HashMap<>();
    private final Map<String, String> versions = new HashMap<>();
    private final List<String> complaints = new ArrayList<>();
    private final List<String> journal = new ArrayList<>();
    private Runnable afterAdd = () -> {};
    private int cutAt = -1;
    private long ids = 100;
    private long looks;

    public FakeEtcd(KubernetesClient client, InstantSource clock) {
        this.client = client;
        this.trust = new PeerTrust(client, clock);
    }

    private record Disk(long cluster, long member) {}

    private static final class Cluster {
        final long id;
        final List<ListedMember> members = new ArrayList<>();
        long leader;
        long index = 10;

        Cluster(long id) {
            this.id = id;
        }
    }

    // ---- what tests do and ask ----

    /** The member does not answer, though its pod runs. */
    public synchronized void silence(String member) {
        silenced.add(member);
    }

    /** The member answers again. */
    public synchronized void unsilence(String member) {
        silenced.remove(member);
    }

    /** Where members were, whose names begin so, another answers; null ends it. */
    public synchronized void redirect(String members, String other) {
        if (other == null) {
            impostors.remove(members);
        } else {
            impostors.put(members, other);
        }
    }

    private String whoAnswersFor(String name) {
        return impostors.entrySet().stream()
                .filter(entry -> name.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(name);
    }

    /** Somebody else makes every cluster count on one more. */
    public synchronized void addByHand(String peerUrl) {
        clusters.values().forEach(cluster -> cluster.members.add(new ListedMember(ids++, "", false, List.of(peerUrl))));
    }

    /** The member says that it is this version, whatever its image is called. */
    public synchronized void claim(String member, String version) {
        versions.put(member, version);
    }

    /** Runs after the next member was added, before the operator hears of it. */
    public synchronized void afterNextAdd(Runnable action) {
        afterAdd = action;
    }

    /** Snapshots end too early. */
    public synchronized void cutSnapshots(int at) {
        cutAt = at;
    }

    /** Members do not answer and do not refuse, until it is let go. */
    public void hang(String member, CountDownLatch latch) {
        hanging.put(member, latch);
    }

    /** Every member complains of this; null ends it. */
    public synchronized void alarm(String text) {
        alarms = text == null ? List.of() : List.of(text);
    }

    /** Something is written to every cluster. */
    public synchronized void write() {
        clusters.values().forEach(cluster -> cluster.index++);
    }

    /** What the operator did that it had better not, but for what a test says is right. */
    public synchronized List<String> complaints(String... except) {
        return complaints.stream()
                .filter(complaint -> !List.of(except).contains(complaint))
                .toList();
    }

    /** Every change of membership, as "add x" and "remove x". */
    public synchronized List<String> journal() {
        return List.copyOf(journal);
    }

    /** How often somebody asked who is a member. */
    public synchronized long looks() {
        return looks;
    }

    public synchronized int clustersEver() {
        return clusters.size();
    }

    // ---- what operators ask ----

    @Override
    public MemberStatus status(Endpoint endpoint) {
        CountDownLatch latch = hanging.isEmpty() ? null : hanging.get(at(endpoint));
        if (latch != null) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EtcdException("interrupted", e);
            }
        }
        return answer(endpoint);
    }

    private synchronized MemberStatus answer(Endpoint endpoint) {
        Map<String, Disk> running = running();
        Disk disk = running.get(at(endpoint));
        if (disk == null) {
            throw new EtcdException(endpoint.url() + ": connection refused");
        }
        Cluster cluster = clusters.get(disk.cluster);
        long leader = electLeader(cluster, running);
        return new MemberStatus(
                cluster.id, disk.member, leader, cluster.index, cluster.index, version(at(endpoint)), alarms);
    }

    /** As its image has it. */
    private String version(String name) {
        return versions.getOrDefault(
                name,
                pods().stream()
                        .filter(pod -> pod.getMetadata().getName().equals(name))
                        .map(pod -> pod.getSpec().getContainers().getFirst().getImage())
                        .map(image -> image.substring(image.lastIndexOf(":v") + 2))
                        .findFirst()
                        .orElse(""));
    }

    @Override
    public synchronized Membership members(Endpoint endpoint) {
        looks++;
        return new Membership(majority(endpoint, running()).members, false);
    }

    @Override
    public synchronized List<ListedMember> rememberedMembers(Endpoint endpoint) {
        looks++;
        return List.copyOf(clusters.get(answer(endpoint).clusterId()).members);
    }

    @Override
    public synchronized void promote(Endpoint endpoint, long id) {
        Cluster cluster = majority(endpoint, running());
        cluster.members.replaceAll(
                member -> member.id() == id ? new ListedMember(id, member.name(), false, member.peerUrls()) : member);
        journal.add("promote " + id);
    }

    @Override
    public void add(Endpoint endpoint, String peerUrl, boolean learner) {
        Runnable then;
        synchronized (this) {
            Map<String, Disk> running = running();
            Cluster cluster = majority(endpoint, running);
            if (cluster.members.stream().anyMatch(member -> member.peerUrls().contains(peerUrl))) {
                throw new EtcdException("etcdserver: Peer URLs already exists");
            }
            long alive = alive(cluster, running);
            if (alive < voters(cluster)) {
                complaints.add(
                        "a member was added while only " + alive + " of " + cluster.members.size() + " answered");
            }
            cluster.members.add(new ListedMember(ids++, "", learner, List.of(peerUrl)));
            cluster.index++;
            journal.add("add " + URI.create(peerUrl).getHost().split("\\.", 2)[0]);
            then = afterAdd;
            afterAdd = () -> {};
        }
        then.run();
    }

    @Override
    public synchronized void remove(Endpoint endpoint, long id) {
        Map<String, Disk> running = running();
        Cluster cluster = majority(endpoint, running);
        if (cluster.leader == id) {
            complaints.add("the leader was removed");
        }
        cluster.members.stream().filter(member -> member.id() == id).findFirst().ifPresent(member -> {
            journal.add("remove " + name(member));
            cluster.members.remove(member);
            cluster.index++;
        });
        if (alive(cluster, running) < majority(cluster)) {
            complaints.add("a removal left no majority");
        }
    }

    @Override
    public synchronized List<String> clientUrls(Endpoint endpoint) {
        answer(endpoint);
        return List.of("http://out.of.reach.example:2379");
    }

    @Override
    public synchronized MemberStatus snapshot(Endpoint endpoint, OutputStream into, Duration patience) {
        MemberStatus member = answer(endpoint);
        byte[] bytes = Snapshots.at(member.revision());
        try {
            into.write(bytes, 0, cutAt < 0 ? bytes.length : cutAt);
            return member;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One look for the decision and for what is said of it: a pod that dies between two looks is nobody's fault. */
    private Cluster majority(Endpoint endpoint, Map<String, Disk> running) {
        Disk disk = running.get(at(endpoint));
        if (disk == null) {
            throw new EtcdException(endpoint.url() + ": connection refused");
        }
        Cluster cluster = clusters.get(disk.cluster);
        if (electLeader(cluster, running) == 0) {
            throw new EtcdException(endpoint.url() + ": etcdserver: request timed out");
        }
        return cluster;
    }

    private static long voters(Cluster cluster) {
        return cluster.members.stream().filter(member -> !member.learner()).count();
    }

    private static long majority(Cluster cluster) {
        return voters(cluster) / 2 + 1;
    }

    private static long alive(Cluster cluster, Map<String, Disk> running) {
        return cluster.members.stream()
                .filter(member -> !member.learner())
                .filter(member -> running.values().stream()
                        .anyMatch(disk -> disk.cluster == cluster.id && disk.member == member.id()))
                .count();
    }

    private static long electLeader(Cluster cluster, Map<String, Disk> running) {
        if (alive(cluster, running) < majority(cluster)) {
            cluster.leader = 0;
        } else if (cluster.leader == 0
                || running.values().stream()
                        .noneMatch(disk -> disk.cluster == cluster.id && disk.member == cluster.leader)) {
            cluster.leader = cluster.members.stream()
                    .filter(member -> !member.learner())
                    .map(ListedMember::id)
                    .filter(id ->
                            running.values().stream().anyMatch(disk -> disk.cluster == cluster.id && disk.member == id))
                    .max(Comparator.naturalOrder())
                    .orElse(0L);
        }
        return cluster.leader;
    }

    // ---- what runs ----

    private synchronized String at(Endpoint endpoint) {
        String address = URI.create(endpoint.url()).getHost();
        return pods().stream()
                .filter(pod -> address.equals(pod.getStatus().getPodIP()))
                .filter(pod -> trust.accepts(pod, endpoint.credentials()))
                .map(pod -> pod.getMetadata().getName())
                .map(this::whoAnswersFor)
                .findFirst()
                .orElse("nobody");
    }

    private List<Pod> pods() {
        return client.pods().inAnyNamespace().withLabel(Names.MEMBER_LABEL).list().getItems().stream()
                .filter(pod -> pod.getStatus() != null
                        && "Running".equals(pod.getStatus().getPhase())
                        && pod.getMetadata().getDeletionTimestamp() == null)
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp()))
                .toList();
    }

    /** Members that run, by the names of their pods; those that have just come are started, which may fail. */
    private Map<String, Disk> running() {
        Map<String, Disk> running = new HashMap<>();
        List<Pod> pods = pods();
        for (String distrust : trust.look(pods)) {
            if (!complaints.contains(distrust)) {
                complaints.add(distrust);
            }
        }
        for (Pod pod : pods) {
            String name = pod.getMetadata().getName();
            Disk disk = boot(pod);
            if (disk != null && !silenced.contains(name)) {
                running.put(name, disk);
            }
        }
        return running;
    }

    private Disk boot(Pod pod) {
        String key = diskOf(pod);
        if (key == null) {
            return null;
        }
        String name = pod.getMetadata().getName();
        List<String> flags = pod.getSpec().getContainers().getFirst().getCommand();
        Disk disk = disks.get(key);
        if (disk == null && flags.contains("--initial-cluster-state=new")) {
            Cluster cluster = new Cluster(ids++);
            cluster.members.add(
                    new ListedMember(ids++, name, false, List.of(flag(flags, "--initial-advertise-peer-urls="))));
            clusters.put(cluster.id, cluster);
            disk = new Disk(cluster.id, cluster.members.getFirst().id());
        } else if (disk == null) {
            disk = join(name, flag(flags, "--initial-advertise-peer-urls="), flag(flags, "--initial-cluster="));
        } else if (flags.contains("--force-new-cluster")) {
            long self = disk.member;
            clusters.get(disk.cluster).members.removeIf(member -> member.id() != self);
        }
        if (disk == null || !isMember(disk)) {
            return null;
        }
        disks.put(key, disk);
        return disk;
    }

    private boolean isMember(Disk disk) {
        return clusters.get(disk.cluster).members.stream().anyMatch(member -> member.id() == disk.member);
    }

    /** A newcomer whose flags name just the members there are, as etcd wants it. */
    private Disk join(String name, String peerUrl, String initialCluster) {
        for (Cluster cluster : clusters.values()) {
            for (ListedMember member : cluster.members) {
                if (member.peerUrls().contains(peerUrl) && member.name().isEmpty()) {
                    Set<String> expected = new HashSet<>();
                    cluster.members.forEach(each ->
                            expected.add(name(each) + "=" + each.peerUrls().getFirst()));
                    if (!expected.equals(Set.of(initialCluster.split(",")))) {
                        complaints.add(
                                name + " was started with --initial-cluster=" + initialCluster + " among " + expected);
                        return null;
                    }
                    cluster.members.set(
                            cluster.members.indexOf(member),
                            new ListedMember(member.id(), name, member.learner(), member.peerUrls()));
                    return new Disk(cluster.id, member.id());
                }
            }
        }
        return null;
    }

    private static String name(ListedMember member) {
        return member.name().isEmpty()
                ? URI.create(member.peerUrls().getFirst()).getHost().split("\\.", 2)[0]
                : member.name();
    }

    private static String flag(List<String> flags, String name) {
        return flags.stream()
                .filter(flag -> flag.startsWith(name))
                .findFirst()
                .orElseThrow()
                .substring(name.length());
    }

    /** The claim it names or, without one, the pod itself; null if the claim is gone, and so is the pod, though an older look shows it. */
    private String diskOf(Pod pod) {
        Optional<String> claim = pod.getSpec().getVolumes().stream()
                .map(Volume::getPersistentVolumeClaim)
                .filter(Objects::nonNull)
                .map(PersistentVolumeClaimVolumeSource::getClaimName)
                .findFirst();
        if (claim.isEmpty()) {
            return pod.getMetadata().getUid();
        }
        PersistentVolumeClaim found = client.persistentVolumeClaims()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(claim.get())
                .get();
        return found == null ? null : found.getMetadata().getUid();
    }
}
