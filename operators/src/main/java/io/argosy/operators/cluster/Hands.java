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
            case Step.Bootstrap() -> bootstrap(cluster, seen);
            case Step.Start(String member) -> start(cluster, seen, member);
            case Step.Clear(String member) -> {
                deletePod(seen, member);
                events.warning(cluster, "MemberPodFailed", "The pod of member " + member + " failed and is made anew");
            }
            case Step.Adopt(String member, String version) -> {
                create(cluster, seen, member, joining(cluster, seen, member, version));
                events.normal(cluster, "MemberAdopted", "Member " + member + ", already known to etcd, gets its pod");
            }
            case Step.Add(String version, boolean learner) -> add(cluster, seen, version, learner);
            case Step.Promote(String member, long id) -> {
                etcd.promote(seen.endpoint(), id); // refused until it has caught up
                events.normal(cluster, "MemberPromoted", "Member " + member + " has caught up and votes");
            }
            case Step.Remove(String member, long id, Step.Why why) -> remove(cluster, seen, member, id, why);
            case Step.Discard(String member) -> {
                discard(seen, member);
                events.normal(
                        cluster, "MemberDiscarded", "Pod and volume of " + member + ", a member no more, are deleted");
            }
            case Step.Upgrade(String member, String version) -> {
                note(seen, member, notes -> notes.version(version));
                deletePod(seen, member);
                events.normal(cluster, "MemberUpgraded", "Member " + member + " is started with etcd " + version);
            }
            case Step.Renew(String member) -> {
                deletePod(seen, member);
                events.normal(
                        cluster, "MemberRenewed", "Member " + member + " is started anew to trust the new authority");
            }
            case Step.Force(String member) -> {
                note(seen, member, notes -> notes.force(true));
                deletePod(seen, member);
                events.warning(
                        cluster,
                        "RecoveringFromSurvivor",
                        "Member " + member
                                + " is made a cluster of its own, as spec.recovery consents; what only others had is"
                                + " lost");
            }
            case Step.EndForce(String member) -> {
                note(seen, member, notes -> notes.force(false));
                deletePod(seen, member);
                events.normal(cluster, "RecoveredFromSurvivor", "Member " + member + " is a cluster of its own");
            }
            case Step.Dismiss(String by, List<String> members) -> {
                members.forEach(member -> deletePod(seen, member));
                events.warning(
                        cluster,
                        isRestored(seen, by) ? "RestoringFromSnapshot" : "RecoveringFromSurvivor",
                        (isRestored(seen, by) ? "A member made of a snapshot" : "The survivor " + by)
                                + " takes the place of " + String.join(", ", members) + ", whose pods are ended");
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

    private static boolean isRestored(Observation seen, String member) {
        return seen.situation().members().stream().anyMatch(each -> each.name().equals(member) && each.restored());
    }

    private void bootstrap(EtcdCluster cluster, Observation seen) {
        String member = ClusterNames.newMember(cluster, random);
        MemberNotes notes = MemberNotes.seed(
                cluster.getSpec().version(),
                member + "=" + ClusterNames.peerUrl(cluster, member),
                UUID.randomUUID().toString());
        rehearse(member, objects(cluster, seen, member, notes));
        create(cluster, seen, member, notes);
        events.normal(cluster, "SeedMemberCreated", "Seed member " + member + " is created");
    }

    /** Before etcd counts on it, it is asked for whether there may be such a pod: a voter that never comes can cost the majority. */
    private void add(EtcdCluster cluster, Observation seen, String version, boolean learner) {
        String member = ClusterNames.newMember(cluster, random);
        rehearse(member, objects(cluster, seen, member, joining(cluster, seen, member, version)));
        etcd.add(seen.endpoint(), ClusterNames.peerUrl(cluster, member), learner);
        create(cluster, seen, member, joining(cluster, seen, member, version));
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

    private void create(EtcdCluster cluster, Observation seen, String member, MemberNotes notes) {
        objects(cluster, seen, member, notes).forEach(this::createUnlessThere);
    }

    /** Volume, if it is to have one, and pod. */
    private static List<HasMetadata> objects(EtcdCluster cluster, Observation seen, String member, MemberNotes notes) {
        MemberObjects objects = new MemberObjects(cluster, seen.certificates().trust());
        return cluster.getSpec().podPolicy().withoutVolumes()
                ? List.of(objects.pod(member, notes, false))
                : List.of(objects.volume(member, notes), objects.pod(member, notes, true));
    }

    private void rehearse(String member, List<HasMetadata> objects) {
        try {
            objects.forEach(object -> client.resource(object).dryRun().create());
        } catch (KubernetesClientException e) {
            Hindrance hindrance = Hindrance.refusal(e).orElseThrow(() -> e);
            throw new HinderedException(hindrance.without(member), e);
        }
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
        createUnlessThere(new MemberObjects(cluster, seen.certificates().trust()).pod(member, notes, true));
        events.normal(cluster, "MemberStarted", "Member " + member + " is started on its volume");
    }

    private void remove(EtcdCluster cluster, Observation seen, String member, long id, Step.Why why) {
        etcd.remove(seen.endpoint(), id);
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
            case STALE ->
                events.normal(
                        cluster,
                        "ReplacingStaleMember",
                        "Member " + member + " has no volume and is replaced by one that trusts the new authority");
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
