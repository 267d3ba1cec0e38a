package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.List;

/** Prefers nodes that have the pod's images already, the more the larger the images and the more nodes have them. */
public final class ImageLocality implements Score {
    private static final long LEAST = 23L << 20;
    private static final long MOST_PER_CONTAINER = 1000L << 20;

    @Override
    public String name() {
        return "ImageLocality";
    }

    @Override
    public int weight() {
        return 1;
    }

    @Override
    public Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates) {
        for (String image : pod.images()) {
            if (cluster.nodesWithImage(image) > 0) {
                return node -> score(pod.images(), cluster, node);
            }
        }
        return null;
    }

    private static long score(List<String> images, ClusterState cluster, NodeInfo node) {
        long sum = 0;
        for (String image : images) {
            Long size = node.images().get(image);
            if (size != null) {
                double spread =
                        (double) cluster.nodesWithImage(image) / cluster.nodes().size();
                sum += (long) (size * spread);
            }
        }
        long most = MOST_PER_CONTAINER * images.size();
        return BEST * (Math.clamp(sum, LEAST, most) - LEAST) / (most - LEAST);
    }
}
