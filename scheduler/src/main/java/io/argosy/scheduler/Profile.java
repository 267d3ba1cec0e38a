package io.argosy.scheduler;

import io.argosy.scheduler.plugin.BalancedAllocation;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.ImageLocality;
import io.argosy.scheduler.plugin.InterPodAffinity;
import io.argosy.scheduler.plugin.LeastAllocated;
import io.argosy.scheduler.plugin.NodeAffinity;
import io.argosy.scheduler.plugin.NodeName;
import io.argosy.scheduler.plugin.NodePorts;
import io.argosy.scheduler.plugin.NodeResourcesFit;
import io.argosy.scheduler.plugin.NodeUnschedulable;
import io.argosy.scheduler.plugin.PodAttraction;
import io.argosy.scheduler.plugin.PodTopologySpread;
import io.argosy.scheduler.plugin.Score;
import io.argosy.scheduler.plugin.SpreadPreference;
import io.argosy.scheduler.plugin.TaintToleration;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Selector;
import io.argosy.scheduler.volume.Storage;
import io.argosy.scheduler.volume.VolumeBinding;
import io.argosy.scheduler.volume.VolumeLedger;
import io.argosy.scheduler.volume.VolumeRestrictions;
import io.argosy.scheduler.volume.VolumeZone;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * How the pods of one schedulerName are placed: which plugins are left out, by the names Kubernetes has for them, how much the
 * others count, and which part of a large cluster is looked at (0 leaves that to its size).
 */
public record Profile(
        String schedulerName, Set<String> disabled, Map<String, Integer> weights, int percentageOfNodesToScore) {
    public static final Profile DEFAULT = new Profile("default-scheduler", Set.of(), Map.of(), 0);

    static final String PREEMPTION = "DefaultPreemption";

    /** The surroundings that plugins ask: what volumes there are, and which pods are of a kind with one. */
    record Ground(Storage storage, VolumeLedger ledger, Function<PodInfo, Selector> likes) {}

    Placement placement(Ground ground, SplittableRandom lot) {
        TaintToleration taints = new TaintToleration();
        NodeAffinity affinity = new NodeAffinity();
        List<Filter> filters = List.of(
                new NodeUnschedulable(),
                new NodeName(),
                taints,
                affinity,
                new NodePorts(),
                new NodeResourcesFit(),
                new VolumeRestrictions(ground.storage()),
                new VolumeBinding(ground.storage(), ground.ledger()),
                new VolumeZone(ground.storage()),
                new PodTopologySpread(),
                new InterPodAffinity());
        List<Score> scores = List.of(
                taints,
                affinity,
                new LeastAllocated(),
                new SpreadPreference(ground.likes()),
                new PodAttraction(),
                new BalancedAllocation(),
                new ImageLocality());
        return new Placement(
                filters.stream()
                        .filter(filter -> !disabled.contains(filter.name()))
                        .toList(),
                scores.stream()
                        .filter(score -> !disabled.contains(score.name()))
                        .map(score -> new Placement.Weighted(score, weights.getOrDefault(score.name(), score.weight())))
                        .filter(weighted -> weighted.weight() > 0)
                        .toList(),
                percentageOfNodesToScore,
                lot);
    }

    boolean preempts() {
        return !disabled.contains(PREEMPTION);
    }
}
