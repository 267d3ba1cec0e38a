package io.argosy.operators.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Everything the next step is decided by: what is wanted, and what there is.
 *
 * @param keep the member that the user consented to go on from alone; null without consent
 * @param born whether the cluster has ever answered: a cluster that has is never bootstrapped again
 * @param listed whether etcd's list of members is known from a majority, and not just as one of them remembers it
 * @param patience how long a member may be silent before it is replaced
 */
public record Situation(
        int size,
        String version,
        boolean paused,
        String keep,
        boolean born,
        boolean listed,
        List<Member> members,
        Instant now,
        Duration patience) {
    public Situation {
        members = List.copyOf(members);
    }

    public List<Member> listedMembers() {
        return members.stream().filter(Member::isListed).toList();
    }

    /** Those whose majority decides. */
    List<Member> voters() {
        return members.stream()
                .filter(member -> member.isListed() && !member.learner())
                .toList();
    }

    boolean hasMajority() {
        return voters().stream().filter(Member::healthy).count() >= majority(voters().size());
    }

    static int majority(int members) {
        return members / 2 + 1;
    }
}
