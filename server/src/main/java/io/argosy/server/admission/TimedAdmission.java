package io.argosy.server.admission;

import io.argosy.server.metrics.AdmissionMetrics;
import io.argosy.server.registry.Admission;
import java.util.function.Consumer;

/** All steps of admission as one whose time is taken. */
public record TimedAdmission(Admission steps, AdmissionMetrics metrics) implements Admission {
    @Override
    public void mutate(Review review) {
        timed("admit", review, steps::mutate);
    }

    @Override
    public void validate(Review review) {
        timed("validate", review, steps::validate);
    }

    private void timed(String type, Review review, Consumer<Review> step) {
        long begin = System.nanoTime();
        boolean rejected = true;
        try {
            step.accept(review);
            rejected = false;
        } finally {
            metrics.passed(type, review.operation().name(), rejected, System.nanoTime() - begin);
        }
    }
}
