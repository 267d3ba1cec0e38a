package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.Remarks;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A kind that is special in a few things only.
 *
 * @param rules what an object must be like
 * @param beginnings what a new one must be like beyond that
 * @param changes what may become of one
 * @param advice what its writer should know
 */
record DefaultsStrategy(
        Consumer<ObjectNode> defaults,
        Consumer<Spot> rules,
        Consumer<Spot> beginnings,
        BiConsumer<Spot, JsonNode> changes,
        Advice advice,
        boolean hasGeneration,
        boolean freelyNamed)
        implements Strategy {
    /** What the writer of an object should know; there is nothing before a new one. */
    interface Advice {
        void give(ObjectNode object, ObjectNode before, Remarks remarks);
    }

    static DefaultsStrategy of(Consumer<ObjectNode> defaults) {
        return new DefaultsStrategy(
                defaults,
                object -> {},
                object -> {},
                (object, before) -> {},
                (object, before, remarks) -> {},
                false,
                false);
    }

    static DefaultsStrategy plain() {
        return of(object -> {});
    }

    DefaultsStrategy withRules(Consumer<Spot> checked) {
        return new DefaultsStrategy(defaults, checked, beginnings, changes, advice, hasGeneration, freelyNamed);
    }

    /** Rules that an object is held against once, when it is made. */
    DefaultsStrategy beginning(Consumer<Spot> checked) {
        return new DefaultsStrategy(defaults, rules, checked, changes, advice, hasGeneration, freelyNamed);
    }

    /** Fields, by their paths, that never change. */
    DefaultsStrategy fixing(String... paths) {
        return changing((object, before) -> {
            for (String path : paths) {
                Spot now = place(object, path);
                if (!now.value().equals(before.at("/" + path.replace('.', '/')))) {
                    now.invalid("field is immutable");
                }
            }
        });
    }

    DefaultsStrategy changing(BiConsumer<Spot, JsonNode> checked) {
        return new DefaultsStrategy(defaults, rules, beginnings, checked, advice, hasGeneration, freelyNamed);
    }

    DefaultsStrategy advising(Advice remarked) {
        return new DefaultsStrategy(defaults, rules, beginnings, changes, remarked, hasGeneration, freelyNamed);
    }

    DefaultsStrategy withGeneration() {
        return new DefaultsStrategy(defaults, rules, beginnings, changes, advice, true, freelyNamed);
    }

    /** Any name that can stand in a path. */
    DefaultsStrategy namedFreely() {
        return new DefaultsStrategy(defaults, rules, beginnings, changes, advice, hasGeneration, true);
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        rules.accept(new Spot(object, "", errors));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        beginnings.accept(new Spot(object, "", errors));
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        changes.accept(new Spot(object, "", errors), before);
    }

    @Override
    public void warn(ObjectNode object, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (!subresource.equals("status")) {
            advice.give(object, before, new Remarks(warnings));
        }
    }

    private static Spot place(Spot object, String path) {
        Spot place = object;
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
