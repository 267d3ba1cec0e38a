package io.argosy.server.warnings;

import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.List;

/** Files of one volume that hide each other. */
final class PathOverlaps {
    /** What somebody writes who means well; each file is compared with so many. */
    private static final int MOST_COMPARED = 1000;

    /** Where a file comes from; empty where there is only one source. */
    private record File(String path, String source) {
        boolean overlaps(File other) {
            return !path.isEmpty()
                    && !other.path.isEmpty()
                    && (isWithin(path, other.path) || isWithin(other.path, path));
        }

        private static boolean isWithin(String path, String folder) {
            return path.startsWith(folder) && (path.length() == folder.length() || path.charAt(folder.length()) == '/');
        }

        @Override
        public String toString() {
            return "\"" + path + "\"" + (source.isEmpty() ? "" : " (" + source + ")");
        }
    }

    private PathOverlaps() {}

    static void check(Spot volume, Remarks remarks) {
        plain(volume, "configMap", "ConfigMap " + quoted(volume.at("configMap").text("name")), remarks);
        plain(volume, "secret", "Secret " + quoted(volume.at("secret").text("secretName")), remarks);
        plain(volume, "downwardAPI", "DownwardAPI", remarks);
        List<File> known = new ArrayList<>();
        for (Spot source : volume.at("projected").each("sources")) {
            if (source.value().isEmpty()) {
                remarks.say("volume " + quoted(volume.text("name")) + " (Projected) has no sources provided");
            }
            collide(volume, "Projected", projected(source), known, remarks);
        }
    }

    private static void plain(Spot volume, String kind, String called, Remarks remarks) {
        collide(volume, called, files(volume.at(kind), ""), new ArrayList<>(), remarks);
    }

    private static List<File> files(Spot source, String called) {
        return source.each("items").stream()
                .map(item -> new File(item.text("path").replaceFirst("/+$", ""), called))
                .toList();
    }

    private static List<File> projected(Spot source) {
        for (String kind : List.of("configMap", "secret")) {
            if (source.has(kind)) {
                String called = kind.equals("secret") ? "Secret " : "ConfigMap ";
                return files(source.at(kind), called + quoted(source.at(kind).text("name")));
            }
        }
        if (source.has("downwardAPI")) {
            return files(source.at("downwardAPI"), "DownwardAPI");
        }
        if (source.has("serviceAccountToken")) {
            return List.of(new File(source.at("serviceAccountToken").text("path"), "ServiceAccountToken"));
        }
        if (source.has("clusterTrustBundle")) {
            Spot bundle = source.at("clusterTrustBundle");
            String name = bundle.has("name") ? bundle.text("name") : bundle.text("signerName");
            return List.of(new File(bundle.text("path"), "ClusterTrustBundle " + quoted(name)));
        }
        return List.of();
    }

    private static void collide(Spot volume, String called, List<File> files, List<File> known, Remarks remarks) {
        for (File file : files) {
            for (File other : known) {
                if (file.overlaps(other)) {
                    remarks.say("volume " + quoted(volume.text("name")) + " (" + called + "): overlapping paths: "
                            + file + " with " + other);
                }
            }
            if (known.size() < MOST_COMPARED) {
                known.add(file);
            }
        }
    }

    private static String quoted(String text) {
        return "\"" + text + "\"";
    }
}
