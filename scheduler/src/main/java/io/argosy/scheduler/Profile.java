package io.argosy.scheduler;

import io.argosy.scheduler.plugin.Allocation;
import io.argosy.scheduler.plugin.BalancedAllocation;
import io.argosy.scheduler.plugin.DynamicResources;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.ImageLocality;
import io.argosy.scheduler.plugin.InterPodAffinity;
import io.argosy.scheduler.plugin.NodeAffinity;
import io.argosy.scheduler.plugin.NodeName;
import io.argosy.scheduler.plugin.NodePorts;
import io.argosy.scheduler.plugin.NodeResourcesFit;
import io.argosy.scheduler.plugin.NodeUnschedulable;
import io.argosy.scheduler.plugin.PodAttraction;
import io.argosy.scheduler.plugin.PodTopologySpread;
import io.argosy.scheduler.plugin.Score;
import io.argosy.scheduler.plugin.ScoringStrategy;
import io.argosy.scheduler.plugin.SpreadPreference;
import io.argosy.scheduler.plugin.TaintToleration;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Selector;
import io.argosy.scheduler.volume.NodeVolumeLimits;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the pods of one schedulerName are placed.
 *
 * @param unfiltered plugins whose veto is not asked for, by the names Kubernetes has for them
 * @param unscored plugins whose preferences do not count
 * @param preempts whether others have to go for an important pod
 * @param weights how much preferences count, where it is not the usual
 * @param percentageOfNodesToScore which part of a large cluster is looked at; 0 leaves that to its size
 * @param strategy what is thought of nodes that are in use
 */
public record Profile(
        String schedulerName,
        Set<String> unfiltered,
        Set<String> unscored,
        boolean preempts,
        Map<String, Integer> weights,
        int percentageOfNodesToScore,
        ScoringStrategy strategy) {
    public static final Profile DEFAULT = named("default-scheduler");

    static final String PREEMPTION = "DefaultPreemption";

    public Profile {
        unfiltered = Set.copyOf(unfiltered);
        unscored = Set.copyOf(unscored);
        weights = Map.copyOf(weights);
    }

    /** As the default, for the pods of another schedulerName. */
    public static Profile named(String schedulerName) {
        return new Profile(schedulerName, Set.of(), Set.of(), true, Map.of(), 0, ScoringStrategy.LEAST_ALLOCATED);
    }

    /** The same without these plugins. */
    public Profile without(String... plugins) {
        Set<String> out = Set.of(plugins);
        return new Profile(
                schedulerName,
                union(unfiltered, out),
                union(unscored, out),
                preempts && !out.contains(PREEMPTION),
                weights,
                percentageOfNodesToScore,
                strategy);
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        return Stream.concat(some.stream(), others.stream()).collect(Collectors.toSet());
    }

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
                new DynamicResources(),
                new VolumeRestrictions(ground.storage()),
                new NodeVolumeLimits(ground.storage()),
                new VolumeBinding(ground.storage(), ground.ledger()),
                new VolumeZone(ground.storage()),
                new PodTopologySpread(),
                new InterPodAffinity());
        List<Score> scores = List.of(
                taints,
                affinity,
                new Allocation(strategy),
                new SpreadPreference(ground.likes()),
                new PodAttraction(),
                new BalancedAllocation(),
                new ImageLocality());
        return new Placement(
                filters.stream()
                        .filter(filter -> !unfiltered.contains(filter.name()))
                        .toList(),
                scores.stream()
                        .filter(score -> !unscored.contains(score.name()))
                        .map(score -> new Placement.Weighted(score, weights.getOrDefault(score.name(), score.weight())))
                        .filter(weighted -> weighted.weight() > 0)
                        .toList(),
                percentageOfNodesToScore,
                lot);
    }
}
