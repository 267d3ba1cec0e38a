package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A kind that is special in a few things only.
 *
 * @param rules what an object must be like
 * @param fixed fields, by their paths, that never change
 */
record DefaultsStrategy(
        Consumer<ObjectNode> defaults,
        Consumer<Spot> rules,
        List<String> fixed,
        boolean hasGeneration,
        boolean freelyNamed,
        boolean createsOnUpdate)
        implements Strategy {
    static DefaultsStrategy of(Consumer<ObjectNode> defaults) {
        return new DefaultsStrategy(defaults, object -> {}, List.of(), false, false, false);
    }

    static DefaultsStrategy plain() {
        return of(object -> {});
    }

    DefaultsStrategy withRules(Consumer<Spot> checked) {
        return new DefaultsStrategy(defaults, checked, fixed, hasGeneration, freelyNamed, createsOnUpdate);
    }

    DefaultsStrategy fixing(String... paths) {
        return new DefaultsStrategy(defaults, rules, List.of(paths), hasGeneration, freelyNamed, createsOnUpdate);
    }

    DefaultsStrategy withGeneration() {
        return new DefaultsStrategy(defaults, rules, fixed, true, freelyNamed, createsOnUpdate);
    }

    /** Any name that can stand in a path. */
    DefaultsStrategy namedFreely() {
        return new DefaultsStrategy(defaults, rules, fixed, hasGeneration, true, createsOnUpdate);
    }

    DefaultsStrategy creatingOnUpdate() {
        return new DefaultsStrategy(defaults, rules, fixed, hasGeneration, freelyNamed, true);
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        rules.accept(new Spot(object, "", errors));
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        for (String path : fixed) {
            Spot now = place(object, path, errors);
            if (!now.value().equals(place(before, path, errors).value())) {
                now.invalid("field is immutable");
            }
        }
    }

    private static Spot place(ObjectNode object, String path, FieldErrors errors) {
        Spot place = new Spot(object, "", errors);
        for (String field : path.split("\\.")) {
            place = place.at(field);
        }
        return place;
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
