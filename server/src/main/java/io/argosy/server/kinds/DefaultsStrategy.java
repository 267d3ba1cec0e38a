package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.server.registry.Strategy;
import java.util.Optional;
import java.util.function.Consumer;

/** A kind whose only peculiarities are its defaults, whether it counts generations, and how freely it may be named. */
record DefaultsStrategy(
        Consumer<ObjectNode> defaults, boolean hasGeneration, boolean freelyNamed, boolean createsOnUpdate)
        implements Strategy {
    static DefaultsStrategy of(Consumer<ObjectNode> defaults) {
        return new DefaultsStrategy(defaults, false, false, false);
    }

    static DefaultsStrategy plain() {
        return of(object -> {});
    }

    DefaultsStrategy withGeneration() {
        return new DefaultsStrategy(defaults, true, freelyNamed, createsOnUpdate);
    }

    /** Any name that can stand in a path. */
    DefaultsStrategy namedFreely() {
        return new DefaultsStrategy(defaults, hasGeneration, true, createsOnUpdate);
    }

    DefaultsStrategy creatingOnUpdate() {
        return new DefaultsStrategy(defaults, hasGeneration, freelyNamed, true);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        defaults.accept(object);
    }

    @Override
    public Optional<String> nameError(String name) {
        return freelyNamed ? Names.pathSegmentError(name) : Names.subdomainError(name);
    }
}
