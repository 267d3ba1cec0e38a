package io.argosy.node.agent.pod;

import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.probe.Checks;
import io.argosy.node.agent.resize.Allocations;
import io.argosy.node.agent.stats.ProbeCounts;
import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.image.ImageStore;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.SandboxSpec.DnsConfig;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What all pod workers of a node share.
 *
 * @param services the Services a pod may learn of through its environment
 * @param hostDns the node's own resolver configuration
 * @param allocatable what the node has to give, in whole units
 * @param allocations what of that each pod was granted
 * @param makers how many sandboxes and containers may be made at once: more would only take turns on the same cores
 * @param users the users of pods that have their own
 * @param exited told the id of every container that ended, for those who follow its log
 */
public record NodeParts(
        NodeConfig config,
        Client client,
        ContainerRuntime runtime,
        ImageStore images,
        ImageAccess imageAccess,
        Clock clock,
        EventRecorder events,
        PodVolumes volumes,
        ConfigSource configs,
        Function<Pod, Collection<Service>> services,
        PodStatuses statuses,
        Checks checks,
        ProbeCounts probeCounts,
        DnsConfig hostDns,
        Map<String, BigDecimal> allocatable,
        Allocations allocations,
        UserRanges users,
        Consumer<String> exited,
        Semaphore makers) {}
