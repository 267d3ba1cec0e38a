package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.ListedMember;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.etcd.Etcd.Membership;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.resource.EtcdCluster;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks members for themselves and for each other. Only who is known is believed: an address that a pod had may be another's by now, and who
 * answers there a member of any cluster.
 */
final class RollCall {
    private final Etcd etcd;
    private final EtcdCluster cluster;
    private final Map<String, Endpoint> endpoints;
    private final Map<String, String> silence = new ConcurrentHashMap<>();
    private final Map<String, MemberStatus> answers;

    /**
     * What became of it.
     *
     * @param answers of the cluster's own members, by their names
     * @param silence why the others were not heard
     * @param known the members as a majority lists them, or else as who got furthest remembers them
     * @param majority who spoke for it, if there is one
     */
    record Roll(
            Map<String, MemberStatus> answers,
            Map<String, String> silence,
            List<ListedMember> known,
            Optional<Spokesman> majority) {}

    /**
     * A member that has a leader.
     *
     * @param guarded whether etcd wants a user from whoever changes anything
     */
    record Spokesman(Endpoint endpoint, String clusterId, boolean guarded) {}

    private RollCall(Etcd etcd, EtcdCluster cluster, Map<String, Endpoint> endpoints) {
        this.etcd = etcd;
        this.cluster = cluster;
        this.endpoints = endpoints;
        this.answers = new HashMap<>(ask());
    }

    /** The seed is a member made of a snapshot, which alone counts and begins another cluster; empty if there is none. */
    static Roll of(Etcd etcd, EtcdCluster cluster, Map<String, Endpoint> endpoints, Optional<String> seed) {
        RollCall call = new RollCall(etcd, cluster, endpoints);
        seed.ifPresentOrElse(call::hearOnly, call::dismissOtherClusters);
        return call.roll();
    }

    /** All at once: one that is silent shall not keep the others waiting. */
    private Map<String, MemberStatus> ask() {
        Map<String, MemberStatus> heard = new ConcurrentHashMap<>();
        List<Thread> askers = endpoints.entrySet().stream()
                .map(entry -> Thread.startVirtualThread(() -> {
                    try {
                        heard.put(entry.getKey(), etcd.status(entry.getValue()));
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
        return heard;
    }

    private void hearOnly(String seed) {
        answers.keySet().retainAll(List.of(seed));
    }

    private void dismissOtherClusters() {
        String known = cluster.getStatus() == null ? null : cluster.getStatus().clusterId();
        if (known != null) {
            Map.copyOf(answers).forEach((name, answer) -> {
                if (!id(answer).equals(known)) {
                    dismiss(name);
                }
            });
        }
    }

    private void dismiss(String name) {
        silence.put(
                name,
                endpoints.get(name).url() + " is answered by a member of etcd cluster " + id(answers.remove(name))
                        + " that is not " + name);
    }

    private static String id(MemberStatus answer) {
        return Long.toHexString(answer.clusterId());
    }

    private Roll roll() {
        for (String name : ranked(Comparator.comparing(answer -> answer.leader() == answer.memberId()))) {
            MemberStatus answer = answers.get(name);
            Optional<Membership> membership = answer.leader() == 0 ? Optional.empty() : list(name);
            if (membership.isEmpty()) {
                continue;
            }
            if (isOn(membership.get().members(), name, answer)) {
                return roll(
                        membership.get().members(),
                        Optional.of(new Spokesman(
                                endpoints.get(name),
                                id(answer),
                                membership.get().guarded())));
            }
            dismiss(name);
        }
        return roll(remembered(), Optional.empty());
    }

    /** Without those who answer where another of the members was. */
    private Roll roll(List<ListedMember> known, Optional<Spokesman> majority) {
        Map.copyOf(answers).forEach((name, answer) -> {
            boolean listed = known.stream().anyMatch(member -> member.id() == answer.memberId());
            if (listed && !isOn(known, name, answer)) {
                dismiss(name);
            }
        });
        return new Roll(answers, silence, known, majority);
    }

    /** The best first. */
    private List<String> ranked(Comparator<MemberStatus> order) {
        return new TreeMap<>(answers)
                .entrySet().stream()
                        .sorted(Map.Entry.<String, MemberStatus>comparingByValue(order)
                                .reversed())
                        .map(Map.Entry::getKey)
                        .toList();
    }

    private Optional<Membership> list(String name) {
        try {
            return Optional.of(etcd.members(endpoints.get(name)));
        } catch (EtcdException noMajority) { // or it is a learner, which lists nobody
            return Optional.empty();
        }
    }

    private List<ListedMember> remembered() {
        for (String name : ranked(Comparator.comparingLong(MemberStatus::raftIndex))) {
            try {
                List<ListedMember> members = etcd.rememberedMembers(endpoints.get(name));
                if (isOn(members, name, answers.get(name))) {
                    return members;
                }
                dismiss(name);
            } catch (EtcdException silent) {
                silence.put(name, silent.getMessage());
            }
        }
        return List.of();
    }

    /** Whether who answered for this member is listed as it: at the address that no other cluster's member has. */
    private boolean isOn(List<ListedMember> members, String name, MemberStatus answer) {
        return members.stream()
                .filter(member -> member.id() == answer.memberId())
                .flatMap(member -> member.peerUrls().stream())
                .anyMatch(url ->
                        ClusterNames.memberAt(cluster, url).filter(name::equals).isPresent());
    }
}
