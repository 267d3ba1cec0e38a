package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.plan.Member;
import io.argosy.operators.plan.Step;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Does a step. Whatever it is interrupted in, the next look finds what is left to do. */
final class Hands {
    private final KubernetesClient client;
    private final Etcd etcd;
    private final RandomGenerator random;
    private final Events events;

    Hands(KubernetesClient client, Etcd etcd, RandomGenerator random, Events events) {
        this.client = client;
        this.etcd = etcd;
        this.random = random;
        this.events = events;
    }

    void perform(EtcdCluster cluster, Observation seen, Step step) {
        switch (step) {
            case Step.Bootstrap() -> bootstrap(cluster);
            case Step.Start(String member) -> start(cluster, seen, member);
            case Step.Clear(String member) -> {
                deletePod(seen, member);
                events.warning(cluster, "MemberPodFailed", "The pod of member " + member + " failed and is made anew");
            }
            case Step.Adopt(String member, String version) -> {
                create(cluster, member, joining(cluster, seen, member, version));
                events.normal(cluster, "MemberAdopted", "Member " + member + ", already known to etcd, gets its pod");
            }
            case Step.Add(String version, boolean learner) -> add(cluster, seen, version, learner);
            case Step.Promote(String member, long id) -> {
                etcd.promote(seen.endpoint().orElseThrow(), id); // refused until it has caught up
                events.normal(cluster, "MemberPromoted", "Member " + member + " has caught up and votes");
            }
            case Step.Remove(String member, long id, Step.Why why) -> remove(cluster, seen, member, id, why);
            case Step.Discard(String member) -> discard(seen, member);
            case Step.Upgrade(String member, String version) -> {
                note(seen, member, notes -> notes.version(version));
                deletePod(seen, member);
                events.normal(cluster, "MemberUpgraded", "Member " + member + " is started with etcd " + version);
            }
            case Step.Force(String member) -> {
                note(seen, member, notes -> notes.force(true));
                deletePod(seen, member);
                events.warning(
                        cluster,
                        "RecoveringFromSurvivor",
                        "Member " + member
                                + " is made a cluster of its own, as spec.recovery consents; what only others had is lost");
            }
            case Step.EndForce(String member) -> {
                note(seen, member, notes -> notes.force(false));
                deletePod(seen, member);
                events.normal(cluster, "RecoveredFromSurvivor", "Member " + member + " is a cluster of its own");
            }
            case Step.Dismiss(List<String> members) -> {
                members.forEach(member -> deletePod(seen, member));
                events.warning(
                        cluster,
                        "RestoringFromSnapshot",
                        "A member made of a snapshot takes the place of " + String.join(", ", members));
            }
            case Step.EndRestore(String member) -> {
                client.resource(seen.volumes().get(member))
                        .edit(current -> new PersistentVolumeClaimBuilder(current)
                                .editMetadata()
                                .removeFromAnnotations(Names.RESTORED_NOTE)
                                .endMetadata()
                                .build());
                events.normal(cluster, "RestoredFromSnapshot", "Member " + member + ", made of a snapshot, answers");
            }
            case Step.Born ignored -> {}
            case Step.Wait ignored -> {}
            case Step.Steady ignored -> {}
        }
    }

    private void bootstrap(EtcdCluster cluster) {
        String member = ClusterNames.newMember(cluster, random);
        create(
                cluster,
                member,
                MemberNotes.seed(
                        cluster.getSpec().version(),
                        member + "=" + ClusterNames.peerUrl(cluster, member),
                        UUID.randomUUID().toString()));
        events.normal(cluster, "SeedMemberCreated", "Seed member " + member + " is created");
    }

    private void add(EtcdCluster cluster, Observation seen, String version, boolean learner) {
        String member = ClusterNames.newMember(cluster, random);
        etcd.add(seen.endpoint().orElseThrow(), ClusterNames.peerUrl(cluster, member), learner);
        create(cluster, member, joining(cluster, seen, member, version));
        events.normal(cluster, "NewMemberAdded", "New member " + member + " added to cluster");
    }

    /** The members so far, and the new one. */
    private static MemberNotes joining(EtcdCluster cluster, Observation seen, String member, String version) {
        String members = Stream.concat(
                        seen.situation().listedMembers().stream()
                                .map(Member::name)
                                .filter(name -> !name.equals(member)),
                        Stream.of(member))
                .map(name -> name + "=" + ClusterNames.peerUrl(cluster, name))
                .collect(Collectors.joining(","));
        return MemberNotes.joining(version, members, "");
    }

    private void create(EtcdCluster cluster, String member, MemberNotes notes) {
        MemberObjects objects = new MemberObjects(cluster);
        boolean hasVolume = !cluster.getSpec().podPolicy().withoutVolumes();
        if (hasVolume) {
            createUnlessThere(objects.volume(member, notes));
        }
        createUnlessThere(objects.pod(member, notes, hasVolume));
    }

    private void createUnlessThere(HasMetadata object) {
        try {
            client.resource(object).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
    }

    private void start(EtcdCluster cluster, Observation seen, String member) {
        MemberNotes notes = MemberNotes.of(seen.volumes().get(member));
        createUnlessThere(new MemberObjects(cluster).pod(member, notes, true));
        events.normal(cluster, "MemberStarted", "Member " + member + " is started on its volume");
    }

    private void remove(EtcdCluster cluster, Observation seen, String member, long id, Step.Why why) {
        etcd.remove(seen.endpoint().orElseThrow(), id);
        switch (why) {
            case DEAD ->
                events.warning(cluster, "ReplacingDeadMember", "The dead member " + member + " is being replaced");
            case SURPLUS ->
                events.normal(cluster, "MemberRemoved", "Existing member " + member + " removed from the cluster");
            case OUTDATED ->
                events.normal(
                        cluster,
                        "ReplacingOutdatedMember",
                        "Member " + member + " has no volume and is replaced by one of etcd "
                                + cluster.getSpec().version());
        }
    }

    private void discard(Observation seen, String member) {
        deletePod(seen, member);
        PersistentVolumeClaim volume = seen.volumes().get(member);
        if (volume != null) {
            client.resource(volume).delete();
        }
    }

    private void deletePod(Observation seen, String member) {
        if (seen.pods().containsKey(member)) {
            client.resource(seen.pods().get(member)).delete();
        }
    }

    private void note(Observation seen, String member, java.util.function.UnaryOperator<MemberNotes> change) {
        PersistentVolumeClaim volume = seen.volumes().get(member);
        client.resource(volume)
                .edit(current -> new PersistentVolumeClaimBuilder(current)
                        .editMetadata()
                        .addToAnnotations(change.apply(MemberNotes.of(current)).annotations())
                        .endMetadata()
                        .build());
    }
}
