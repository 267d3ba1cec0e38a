package io.argosy.scheduler.plugin;

import java.util.List;

/**
 * What is thought of a node that is in use to some part.
 *
 * @param shape scores at percentages in use, rising; between two of them the line that joins them, beyond the ends the end
 * @param cpuWeight how much processors count
 * @param memoryWeight how much memory counts
 */
public record ScoringStrategy(List<Point> shape, int cpuWeight, int memoryWeight) {
    private static final long WHOLE = 100;

    /** The emptier the better. */
    public static final ScoringStrategy LEAST_ALLOCATED = of(new Point(0, Score.BEST), new Point(WHOLE, 0));

    /** The fuller the better. */
    public static final ScoringStrategy MOST_ALLOCATED = of(new Point(0, 0), new Point(WHOLE, Score.BEST));

    /** A score from 0 to {@value Score#BEST} at a percentage in use. */
    public record Point(long percent, long score) {}

    public ScoringStrategy {
        shape = List.copyOf(shape);
    }

    private static ScoringStrategy of(Point... shape) {
        return new ScoringStrategy(List.of(shape), 1, 1);
    }

    public ScoringStrategy weighing(int cpu, int memory) {
        return new ScoringStrategy(shape, cpu, memory);
    }

    /** The score of one resource of which so much is there and so much used; more than there is counts as all of it. */
    long score(long used, long all) {
        long within = Math.min(used, all);
        Point low = shape.getFirst();
        if (within * WHOLE <= low.percent * all) {
            return low.score;
        }
        for (Point high : shape) {
            if (within * WHOLE <= high.percent * all) {
                long over = within * WHOLE - low.percent * all;
                return low.score + Math.floorDiv((high.score - low.score) * over, (high.percent - low.percent) * all);
            }
            low = high;
        }
        return low.score;
    }
}
