package io.argosy.node.agent.spec;

import io.fabric8.kubernetes.api.model.HostAlias;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/** The text of a pod's /etc/hosts. */
public final class HostsFile {
    private static final String OWN = """
        # Kubernetes-managed hosts file.
        127.0.0.1\tlocalhost
        ::1\tlocalhost ip6-localhost ip6-loopback
        fe00::0\tip6-localnet
        fe00::0\tip6-mcastprefix
        fe00::1\tip6-allnodes
        fe00::2\tip6-allrouters
        """;

    private HostsFile() {}

    /** For a pod with a network of its own. */
    public static String of(Pod pod, List<String> ips, String hostname, String clusterDomain) {
        StringBuilder text = new StringBuilder(OWN);
        boolean overridden = pod.getSpec().getHostnameOverride() != null
                && !pod.getSpec().getHostnameOverride().isEmpty();
        String full = overridden ? "" : PodNames.fullyQualified(pod, hostname, clusterDomain);
        String own = hostname.equals(full) ? hostname.substring(0, hostname.indexOf('.')) : hostname;
        for (String ip : ips) {
            text.append(ip).append('\t');
            text.append(full.isEmpty() ? hostname : full + "\t" + own).append('\n');
        }
        return text.append(aliases(pod)).toString();
    }

    /** For a pod in the node's network: the node's own file with the pod's aliases below. */
    public static String ofHost(Pod pod, String hostFile) {
        return "# Kubernetes-managed hosts file (host network).\n" + hostFile + aliases(pod);
    }

    private static String aliases(Pod pod) {
        if (pod.getSpec().getHostAliases().isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("\n# Entries added by HostAliases.\n");
        for (HostAlias alias : pod.getSpec().getHostAliases()) {
            text.append(alias.getIp())
                    .append('\t')
                    .append(String.join("\t", alias.getHostnames()))
                    .append('\n');
        }
        return text.toString();
    }
}
