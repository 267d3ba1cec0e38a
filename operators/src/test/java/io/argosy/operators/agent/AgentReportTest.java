package io.argosy.operators.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read out of a pod's status. */
class AgentReportTest {
    @ParameterizedTest(name = "{2} after {1} s: {3}")
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
            save  | 10  | {phase: Running} | null
            save  | 10  | {phase: Succeeded, containerStatuses: [{name: save, state: {terminated: {exitCode: 0, message: '{"size":7}'}}}]} | 7
            save  | 10  | {phase: Failed, containerStatuses: [{name: save, state: {terminated: {exitCode: 1, message: '{"failure":"A","message":"b"}'}}}]} | A: b
            save  | 10  | {phase: Failed, containerStatuses: [{name: save, state: {terminated: {exitCode: 137}}}]} | AgentFailed: container save exited with 137
            save  | 10  | {phase: Failed, reason: DeadlineExceeded, message: too long} | TimedOut: pod p failed: DeadlineExceeded: too long
            save  | 10  | {phase: Failed, reason: Evicted, message: full} | AgentFailed: pod p failed: Evicted: full
            save  | 90  | {phase: Pending} | null
            save  | 91  | {phase: Pending} | TimedOut: pod p was not done after 30 s
            save  | 91  | {phase: Pending, containerStatuses: [{name: save, state: {waiting: {reason: ErrImagePull, message: none}}}]} | TimedOut: pod p was not done after 30 s: save waits: ErrImagePull none
            save  | 91  | {phase: Pending, conditions: [{type: PodScheduled, status: 'False', message: no node}]} | TimedOut: pod p was not done after 30 s: no node
            fetch | 10  | {phase: Running, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 0, message: '{"size":7}'}}}]} | null
            fetch | 10  | {phase: Succeeded, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 0, message: '{"size":7}'}}}]} | 7
            fetch | 10  | {phase: Failed, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 0, message: '{"size":7}'}}}], containerStatuses: [{name: restore, state: {terminated: {exitCode: 1, message: 'Error: data-dir exists'}}}]} | AgentFailed: container restore exited with 1: Error: data-dir exists
            prove | 10  | {phase: Running, containerStatuses: [{name: etcd, state: {running: {}}}, {name: prove, state: {terminated: {exitCode: 0, message: '{"size":7}'}}}]} | 7
            """)
    void theOutcome(String container, int seconds, String status, String expected) {
        Pod pod = Serialization.unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p, creationTimestamp: '2026-01-01T00:00:00Z'}
                status: %s
                """.formatted(status), Pod.class);
        assertThat(AgentReport.of(
                                pod,
                                container,
                                Duration.ofSeconds(30),
                                Instant.parse("2026-01-01T00:00:00Z").plusSeconds(seconds))
                        .map(outcome -> outcome.succeeded()
                                ? outcome.size().toString()
                                : outcome.failure() + ": " + outcome.message())
                        .orElse(null))
                .isEqualTo(expected);
    }
}
