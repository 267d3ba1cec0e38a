package io.argosy.node.agent.admission;

import io.argosy.node.agent.admission.Obstacle.Shortage;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.model.PodSums;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who has to go for a critical pod to have room: as few Guaranteed pods as can be, then as few Burstable ones, then as few BestEffort ones;
 * among those that help alike the one that asks for less.
 *
 * @param victims in the order in which they go
 * @param problem why nobody goes, if all of them together would not be enough
 */
record Preemption(List<Pod> victims, Optional<String> problem) {
    private static final List<String> SIZES = List.of("memory", "cpu");

    static Preemption of(Pod critical, List<Pod> others, List<Shortage> shortages) {
        List<Pod> bestEffort = below(critical, others, "BestEffort");
        List<Pod> burstable = below(critical, others, "Burstable");
        List<Pod> guaranteed = below(critical, others, "Guaranteed");
        List<Shortage> unmet = without(shortages, join(bestEffort, burstable, guaranteed));
        if (!unmet.isEmpty()) {
            return new Preemption(List.of(), Optional.of(complaint(unmet)));
        }
        // as if all of the lower classes were gone already; what they need not give up is found out below
        List<Pod> worst = fewest(guaranteed, without(shortages, join(bestEffort, burstable)));
        List<Pod> middle = fewest(burstable, without(shortages, join(bestEffort, worst)));
        List<Pod> least = fewest(bestEffort, without(shortages, join(middle, worst)));
        return new Preemption(join(least, middle, worst), Optional.empty());
    }

    private static List<Pod> below(Pod critical, List<Pod> others, String qosClass) {
        return others.stream()
                .filter(other ->
                        Rank.above(critical, other) && PodFacts.qosClass(other).equals(qosClass))
                .toList();
    }

    @SafeVarargs
    private static List<Pod> join(List<Pod>... parts) {
        List<Pod> all = new ArrayList<>();
        for (List<Pod> part : parts) {
            all.addAll(part);
        }
        return all;
    }

    /** Again and again the one that fills most of what is lacking. */
    private static List<Pod> fewest(List<Pod> candidates, List<Shortage> shortages) {
        List<Pod> left = new ArrayList<>(candidates);
        List<Pod> chosen = new ArrayList<>();
        List<Shortage> lacking = shortages;
        while (!lacking.isEmpty()) {
            Pod best = left.getFirst();
            for (Pod candidate : left.subList(1, left.size())) {
                int nearer = Double.compare(remainder(lacking, candidate), remainder(lacking, best));
                if (nearer < 0 || (nearer == 0 && !larger(candidate, best))) {
                    best = candidate;
                }
            }
            chosen.add(best);
            left.remove(best);
            lacking = without(lacking, List.of(best));
        }
        return chosen;
    }

    /** How much would still be lacking; each resource weighs the same, by the part of it that is missing. */
    private static double remainder(List<Shortage> shortages, Pod gone) {
        double sum = 0;
        for (Shortage shortage : shortages) {
            double part = (double) (shortage.amount() - asked(gone, shortage.resource())) / shortage.amount();
            sum += part > 0 ? part * part : 0;
        }
        return sum;
    }

    private static boolean larger(Pod one, Pod other) {
        for (String resource : SIZES) {
            int size = Long.compare(asked(one, resource), asked(other, resource));
            if (size != 0) {
                return size > 0;
            }
        }
        return false;
    }

    private static List<Shortage> without(List<Shortage> shortages, List<Pod> gone) {
        return shortages.stream()
                .map(shortage -> new Shortage(
                        shortage.resource(),
                        shortage.amount()
                                - gone.stream()
                                        .mapToLong(pod -> asked(pod, shortage.resource()))
                                        .sum()))
                .filter(shortage -> shortage.amount() > 0)
                .toList();
    }

    private static long asked(Pod pod, String resource) {
        if (resource.equals("pods")) {
            return 1;
        }
        BigDecimal amount = PodSums.request(pod, resource);
        return (resource.equals("cpu") ? amount.movePointRight(3) : amount)
                .setScale(0, RoundingMode.CEILING)
                .longValue();
    }

    private static String complaint(List<Shortage> unmet) {
        StringBuilder list = new StringBuilder();
        unmet.forEach(shortage -> list.append("(res: ")
                .append(shortage.resource())
                .append(", q: ")
                .append(shortage.amount())
                .append("), "));
        return "no set of running pods found to reclaim resources: [" + list + "]";
    }
}
