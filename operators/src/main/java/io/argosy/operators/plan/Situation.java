package io.argosy.operators.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Everything the next step is decided by: what is wanted, and what there is.
 *
 * @param version which is wanted
 * @param current the oldest that a member runs, or ran when it last answered: what the cluster as a whole can do; null if it never did
 * @param keep the member that the user consented to go on from alone; null without consent
 * @param born whether the cluster has ever answered: a cluster that has is never bootstrapped again
 * @param listed whether etcd's list of members is known from a majority, and not just as one of them remembers it
 * @param recorded whether the cluster that answers is the one that is written down
 * @param patience how long a member may be silent before it is replaced
 * @param trust what there is to say of the certificates
 */
public record Situation(
        int size,
        String version,
        String current,
        boolean paused,
        String keep,
        boolean born,
        boolean listed,
        boolean recorded,
        List<Member> members,
        Instant now,
        Duration patience,
        Trust trust) {
    /**
     * What the certificates ask for.
     *
     * @param stale members whose pods trust others than they should by now, and have to be started anew
     * @param cutOff whether those cannot be reached by the rest any more, so that there is nothing to wait for
     * @param blind why the operator can see nobody; null while it can
     */
    public record Trust(Set<String> stale, boolean cutOff, String blind) {
        public static final Trust NONE = new Trust(Set.of(), false, null);

        public Trust {
            stale = Set.copyOf(stale);
        }
    }

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
