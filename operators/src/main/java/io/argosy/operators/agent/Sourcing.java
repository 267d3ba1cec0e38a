package io.argosy.operators.agent;

import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.snapshot.SnapshotException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Whom to take a snapshot from: the member that knows most, also if but one address was given, behind which they take turns. */
final class Sourcing {
    /** How often all are asked before they are given up: one may just be restarting, and our own first question takes long. */
    private static final int ATTEMPTS = 4;

    private static final long PAUSE_NANOS = Duration.ofMillis(250).toNanos();

    private final Etcd etcd;

    Sourcing(Etcd etcd) {
        this.etcd = etcd;
    }

    /**
     * Somebody who answered.
     *
     * @param direct whether at an address that is this member's alone
     */
    record Source(Endpoint endpoint, MemberStatus status, boolean direct) {}

    /** All must be of one cluster, or a snapshot would be of any of them. */
    Source newest(List<Endpoint> endpoints) throws SnapshotException {
        List<Source> answers = new ArrayList<>();
        List<String> silence = new ArrayList<>();
        ask(endpoints, false, answers, silence);
        for (int i = 1; answers.isEmpty() && i < ATTEMPTS; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            silence.clear();
            ask(endpoints, false, answers, silence);
        }
        if (answers.isEmpty()) {
            throw new SnapshotException(
                    "EndpointsUnreachable",
                    "none of spec.etcdEndpoints answers; are they the addresses of a running cluster's clients? "
                            + String.join("; ", silence));
        }
        if (answers.stream()
                        .mapToLong(answer -> answer.status().clusterId())
                        .distinct()
                        .count()
                > 1) {
            throw new SnapshotException(
                    "EndpointsDiffer", "spec.etcdEndpoints are members of different clusters; name those of one");
        }
        long cluster = answers.getFirst().status().clusterId();
        ask(members(answers, silence), true, answers, silence);
        return answers.stream()
                .filter(answer -> answer.status().clusterId() == cluster) // an address in the list may be anybody's
                .max(Comparator.comparingLong((Source answer) -> answer.status().revision())
                        .thenComparing(Source::direct))
                .orElseThrow();
    }

    /** Where the members say that they are, which we may not be able to reach. */
    private Set<Endpoint> members(List<Source> answers, List<String> silence) {
        Set<Endpoint> members = new LinkedHashSet<>();
        for (Source answer : answers) {
            try {
                etcd.clientUrls(answer.endpoint()).stream()
                        .map(url -> Endpoint.parse(url, null, answer.endpoint().credentials()))
                        .forEach(members::add);
            } catch (EtcdException | IllegalArgumentException e) {
                silence.add(e.getMessage());
            }
        }
        return members;
    }

    private void ask(Iterable<Endpoint> endpoints, boolean direct, List<Source> answers, List<String> silence) {
        for (Endpoint endpoint : endpoints) {
            try {
                answers.add(new Source(endpoint, etcd.status(endpoint), direct));
            } catch (EtcdException e) {
                silence.add(e.getMessage());
            }
        }
    }
}
