package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.registry.Admission.Review;
import java.util.HashSet;
import java.util.Set;

/** Who is to look at an object a second time: those who want to, if others have changed it since they saw it. For one write. */
public final class Reinvocation {
    private final Set<String> asked = new HashSet<>();
    private final Set<String> again = new HashSet<>();
    private ObjectNode left;
    private boolean second;

    private Reinvocation() {}

    /** The one that belongs to a step on the way of a write; the same at its second look. */
    public static Reinvocation of(Review review, Object step) {
        Reinvocation found = review.passage().note(step, Reinvocation.class, Reinvocation::new);
        found.second = review.passage().isSecond();
        if (found.second && found.left != null && !found.left.equals(review.object())) {
            found.changed();
        }
        return found;
    }

    /** True for everybody at the first look. */
    public boolean isDue(String id) {
        return !second || again.remove(id);
    }

    /** Somebody has looked at the object. */
    public void seen(String id, boolean wantsAgain, boolean hasChanged, Review review) {
        if (hasChanged) {
            changed();
            review.passage().repeat();
        }
        if (wantsAgain) {
            asked.add(id);
        }
    }

    private void changed() {
        again.addAll(asked);
        asked.clear();
    }

    /** The step is done; what others change from here on is news to it. */
    public void end(Review review) {
        left = review.object() == null ? null : review.object().deepCopy();
    }
}
