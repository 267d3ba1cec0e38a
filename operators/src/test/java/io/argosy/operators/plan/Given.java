package io.argosy.operators.plan;

import io.argosy.operators.plan.Member.Pod;
import io.argosy.operators.plan.Member.Volume;
import java.time.Duration;
import java.time.Instant;
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
        return new M(name, id, true, false, false, true, null, Pod.PRESENT, Volume.PRESENT, false, false, NEW, 100);
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
            long index) {
        M leads() {
            return new M(
                    name, id, started, learner, true, healthy, since, pod, volume, restored, forced, version, index);
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
                    index);
        }

        M ill() {
            return ill(Duration.ofSeconds(10));
        }

        M unlisted() {
            return new M(
                    name, null, started, learner, leader, healthy, since, pod, volume, restored, forced, version,
                    index);
        }

        M listed(long id) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index);
        }

        M unstarted() {
            return new M(
                    name, id, false, learner, leader, healthy, since, pod, volume, restored, forced, version, index);
        }

        M pod(Pod state) {
            return new M(
                    name, id, started, learner, leader, healthy, since, state, volume, restored, forced, version,
                    index);
        }

        M volume(Volume state) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, state, restored, forced, version, index);
        }

        M force() {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, true, version, index);
        }

        /** Made of a snapshot, and not known to etcd. */
        M fromSnapshot() {
            return new M(
                    name, null, started, learner, leader, healthy, since, pod, volume, true, forced, version, index);
        }

        M runs(String version) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index);
        }

        M learns() {
            return new M(
                    name, id, started, true, leader, healthy, since, pod, volume, restored, forced, version, index);
        }

        M at(long index) {
            return new M(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index);
        }

        Member member() {
            return new Member(
                    name, id, started, learner, leader, healthy, since, pod, volume, restored, forced, version, index);
        }
    }

    /** What is wanted, beside the members: three of the new version, of a cluster that has lived. */
    record Want(int size, String version, boolean paused, String keep, boolean born, boolean listed) {
        static final Want THREE = new Want(3, NEW, false, null, true, true);

        Want size(int other) {
            return new Want(other, version, paused, keep, born, listed);
        }

        Want version(String other) {
            return new Want(size, other, paused, keep, born, listed);
        }

        Want unborn() {
            return new Want(size, version, paused, keep, false, listed);
        }

        Want unlisted() {
            return new Want(size, version, paused, keep, born, false);
        }

        Want keep(String member) {
            return new Want(size, version, paused, member, born, listed);
        }

        Want pausing() {
            return new Want(size, version, true, keep, born, listed);
        }
    }

    static Situation situation(Want want, M... members) {
        return new Situation(
                want.size,
                want.version,
                want.paused,
                want.keep,
                want.born,
                want.listed,
                Stream.of(members).map(M::member).toList(),
                NOW,
                PATIENCE);
    }

    static Step step(Want want, M... members) {
        return Plan.next(situation(want, members));
    }
}
