package io.argosy.node.agent.volume;

import io.argosy.client.LabelSelectors;
import io.argosy.node.agent.model.ClusterTrustBundle;
import io.fabric8.kubernetes.api.model.ClusterTrustBundleProjection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file that a clusterTrustBundle source of a projected volume becomes: each certificate once, in an order that stays. */
final class TrustAnchors {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\R(.*?)-----END \\1-----", Pattern.DOTALL);
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private TrustAnchors() {}

    /** Chooses among all bundles of the cluster, which are none at all where the server does not know the kind. */
    static byte[] of(ClusterTrustBundleProjection source, Optional<List<ClusterTrustBundle>> served) {
        List<ClusterTrustBundle> all = served.orElseThrow(
                () -> new VolumeException("ClusterTrustBundle projection is not supported in static kubelet mode"));
        boolean mayMiss = Boolean.TRUE.equals(source.getOptional());
        List<ClusterTrustBundle> chosen;
        if (source.getName() != null) {
            chosen = all.stream()
                    .filter(b -> b.getMetadata().getName().equals(source.getName()))
                    .toList();
            if (chosen.isEmpty() && !mayMiss) {
                throw new VolumeException("while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io \""
                        + source.getName() + "\" not found");
            }
        } else if (source.getSignerName() != null) {
            chosen = all.stream()
                    .filter(b -> Objects.equals(b.getSpec().signerName(), source.getSignerName()))
                    .filter(b -> LabelSelectors.matches(
                            source.getLabelSelector(), b.getMetadata().getLabels()))
                    .toList();
            if (chosen.isEmpty() && !mayMiss) {
                throw new VolumeException(
                        "combination of signerName and labelSelector matched zero ClusterTrustBundles");
            }
        } else {
            throw new VolumeException("ClusterTrustBundle projection requires either name or signerName to be set");
        }
        return pem(chosen).getBytes(StandardCharsets.US_ASCII);
    }

    private static String pem(List<ClusterTrustBundle> bundles) {
        TreeSet<String> anchors = new TreeSet<>();
        for (ClusterTrustBundle bundle : bundles) {
            for (byte[] certificate : certificates(bundle.getSpec().trustBundle())) {
                anchors.add(LINES.encodeToString(certificate));
            }
        }
        StringBuilder text = new StringBuilder();
        anchors.forEach(anchor ->
                text.append("-----BEGIN CERTIFICATE-----\n").append(anchor).append("\n-----END CERTIFICATE-----\n"));
        return text.toString();
    }

    /** What stands between the blocks is for people. */
    private static List<byte[]> certificates(String text) {
        List<byte[]> found = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text == null ? "" : text);
        while (blocks.find()) {
            try {
                found.add(Base64.getDecoder().decode(blocks.group(2).replaceAll("\\s+", "")));
            } catch (IllegalArgumentException e) {
                throw new VolumeException("while normalizing trust anchors: " + e.getMessage(), e);
            }
        }
        return found;
    }
}
