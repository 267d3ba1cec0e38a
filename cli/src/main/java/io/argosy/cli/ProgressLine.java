package io.argosy.cli;

import io.argosy.node.image.Progress;
import java.util.HashSet;
import java.util.Set;

/** Tells of work on images: each thing once when it begins. */
final class ProgressLine implements Progress {
    private final Set<String> told = new HashSet<>();

    @Override
    public synchronized void update(Step step) {
        String what = switch (step.phase()) {
            case RESOLVING -> "resolving";
            case DOWNLOADING -> "downloading";
            case UNPACKING -> "unpacking";
            case PUSHING -> "pushing";
            case INSTALLING -> "installing";
            case PACKING -> "packing";
            case PRESENT, DONE -> "";
        };
        String line = what + " " + step.subject();
        if (!what.isEmpty() && told.add(line)) {
            System.out.println("  " + line);
        }
    }
}
