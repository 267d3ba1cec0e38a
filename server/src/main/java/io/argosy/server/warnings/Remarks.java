package io.argosy.server.warnings;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;
import java.util.function.Consumer;

/** What the writer of an object should know though the object is taken, place by place; no more than anybody reads. For one thread. */
public final class Remarks {
    private static final int MOST = 50;

    private final Consumer<String> listener;
    private int said;

    public Remarks(Consumer<String> listener) {
        this.listener = listener;
    }

    /** A place to look at. */
    public Spot at(JsonNode value, String path) {
        return new Spot(value, path, new FieldErrors());
    }

    public void of(Spot place, String words) {
        say(place.path() + ": " + words);
    }

    public void say(String words) {
        if (said++ < MOST) {
            listener.accept(words);
        }
    }
}
