package io.argosy.operators.etcd;

import java.io.OutputStream;
import java.time.Duration;
import java.util.List;

/** What the operators ask of etcd members and tell them to do; each call goes to one member and either is answered in time or fails. */
public interface Etcd {
    /** What a member says of itself; it needs no majority to do so. */
    MemberStatus status(Endpoint endpoint);

    /** The members of the cluster, as a majority agrees. */
    Membership members(Endpoint endpoint);

    /** The members as this one remembers them, which may not be what a majority agreed on since. */
    List<ListedMember> rememberedMembers(Endpoint endpoint);

    /** Makes the cluster count on one more member, which will be found at this address; a learner has no vote. */
    void add(Endpoint endpoint, String peerUrl, boolean learner);

    /** Gives a learner its vote; fails while it has not caught up. */
    void promote(Endpoint endpoint, long id);

    /** Makes the cluster forget a member; one that it does not know is forgotten already. */
    void remove(Endpoint endpoint, long id);

    /** Where the members answer clients, as this one remembers them. */
    List<String> clientUrls(Endpoint endpoint);

    /**
     * Writes a snapshot of what the member holds; fails if that is not done in time. Returns what the very same member said of itself before,
     * also if several answer at the endpoint.
     */
    MemberStatus snapshot(Endpoint endpoint, OutputStream into, Duration patience);

    /**
     * What a member says of itself.
     *
     * @param leader whom it takes for the leader; 0 if for nobody
     * @param revision of its newest change
     */
    record MemberStatus(
            long clusterId,
            long memberId,
            long leader,
            long raftIndex,
            long revision,
            String version,
            List<String> errors) {}

    /**
     * What a majority agrees on.
     *
     * @param guarded whether etcd has authentication on, and lets nobody without a user change anything
     */
    record Membership(List<ListedMember> members, boolean guarded) {
        public Membership {
            members = List.copyOf(members);
        }
    }

    /**
     * A member as others know it.
     *
     * @param name empty until it has started
     */
    record ListedMember(long id, String name, boolean learner, List<String> peerUrls) {}
}
