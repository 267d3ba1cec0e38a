package io.argosy.operators.plan;

import io.argosy.operators.plan.Member.Obstacle;
import io.argosy.operators.plan.Member.Pod;
import io.argosy.operators.plan.Member.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/** Situations to decide in, each told by how it differs from a good day. */
final class Given {
    private Given() {}

    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    static final Duration PATIENCE = Duration.ofMinutes(5);
    static final String OLD = "3.4.22";
    static final String NEW = "3.4.23";

    /** A member that is well, as a start for those that are not. */
    static M m(String name, long id) {
        return new M(
                name,
                id,
                true,
                false,
                false,
                true,
                null,
                Pod.PRESENT,
                Volume.PRESENT,
                false,
                false,
                NEW,
                100,
                Obstacle.NONE,
                false);
    }

    /** A member whose single traits a case may change. */
    record M(
            String name,
            Long id,
            boolean started,
            boolean learner,
            boolean leader,
            boolean healthy,
            Instant since,
            Pod pod,
            Volume volume,
            boolean restored,
            boolean forced,
            String version,
            long index,
            Obstacle obstacle,
            boolean changed) {
        /** Its pod cannot start. */
        M stuck(Obstacle why) {
            return new M(
                    name,
                    id,
                    started,
                    learner,
                    leader,
                    false,
                    NOW.minus(PATIENCE),
                    pod,
                    volume,
                    restored,
                    forced,
                    version,
                    0,
                    why,
                    changed);
        }

        /** And would be made otherwise by now. */
        M changes() {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, true);
        }

        M leads() {
            return new M(
                    name, id, started, learner, true, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        M ill(Duration ago) {
            return new M(
                    name,
                    id,
                    started,
                    learner,
                    leader,
                    false,
                    NOW.minus(ago),
                    pod,
                    volume,
                    restored,
                    forced,
                    version,
                    index,
                    obstacle,
                    changed);
        }

        M ill() {
            return ill(Duration.ofSeconds(10));
        }

        M unlisted() {
            return new M(
                    name, null, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        M listed(long id) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        M unstarted() {
            return new M(
                    name, id, false, learner, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        M pod(Pod state) {
            return new M(
                    name, id, started, learner, leader, healthy, since, state, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        M volume(Volume state) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, state, restored, forced, version, index,
                    obstacle, changed);
        }

        M force() {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, true, version, index,
                    obstacle, changed);
        }

        /** Made of a snapshot, and not known to etcd. */
        M fromSnapshot() {
            return new M(
                    name, null, started, learner, leader, healthy, since, pod, volume, true, forced, version, index,
                    obstacle, changed);
        }

        M runs(String version) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        M learns() {
            return new M(
                    name, id, started, true, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        M at(long index) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }

        Member member() {
            return new Member(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index,
                    obstacle, changed);
        }
    }

    /** What is wanted, beside the members: three of the new version, of a cluster that has lived. */
    record Want(
            int size,
            String version,
            boolean paused,
            String keep,
            boolean born,
            boolean listed,
            boolean recorded,
            String current) {
        static final Want THREE = new Want(3, NEW, false, null, true, true, true, null);

        Want size(int other) {
            return new Want(other, version, paused, keep, born, listed, recorded, current);
        }

        Want version(String other) {
            return new Want(size, other, paused, keep, born, listed, recorded, current);
        }

        /** Was seen to run this, whatever it is to run. */
        Want ran(String version) {
            return new Want(size, this.version, paused, keep, born, listed, recorded, version);
        }

        Want unborn() {
            return new Want(size, version, paused, keep, false, listed, false, current);
        }

        /** The cluster that answers is not the one that is written down. */
        Want unrecorded() {
            return new Want(size, version, paused, keep, born, listed, false, current);
        }

        Want unlisted() {
            return new Want(size, version, paused, keep, born, false, recorded, current);
        }

        Want keep(String member) {
            return new Want(size, version, paused, member, born, listed, recorded, current);
        }

        Want pausing() {
            return new Want(size, version, true, keep, born, listed, recorded, current);
        }
    }

    static Situation situation(Want want, M... members) {
        return situation(want, Situation.Trust.NONE, members);
    }

    static Situation situation(Want want, Situation.Trust trust, M... members) {
        return new Situation(
                want.size,
                want.version,
                Stream.concat(Stream.of(members).map(M::version), Stream.ofNullable(want.current))
                        .min(Comparator.comparing(EtcdVersion::parse))
                        .orElse(null),
                want.paused,
                want.keep,
                want.born,
                want.listed,
                want.recorded,
                Stream.of(members).map(M::member).toList(),
                NOW,
                PATIENCE,
                trust);
    }

    static Step step(Want want, M... members) {
        return Plan.next(situation(want, members));
    }
}
