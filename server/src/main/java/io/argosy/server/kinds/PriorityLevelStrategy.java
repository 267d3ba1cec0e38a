package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.flow.BootstrapFlows;
import io.argosy.server.registry.Strategy;
import java.util.List;

/** PriorityLevelConfigurations: how many requests at once, and what happens to the others. */
final class PriorityLevelStrategy implements Strategy {
    private static final int MOST_QUEUES = 10_000_000;
    private static final int MOST_ENTROPY = 60;

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode level) {
        ObjectNode spec = child(level, "spec");
        if (existing(spec, "limited") instanceof ObjectNode limited) {
            if (!limited.hasNonNull("nominalConcurrencyShares")) {
                limited.put("nominalConcurrencyShares", 30);
            }
            setDefault(limited, "lendablePercent", 0);
            ObjectNode response = existing(limited, "limitResponse");
            ObjectNode queuing = response == null ? null : existing(response, "queuing");
            if (queuing != null) {
                positive(queuing, "queues", 64);
                positive(queuing, "handSize", 8);
                positive(queuing, "queueLengthLimit", 50);
            }
        }
        if (existing(spec, "exempt") instanceof ObjectNode exempt) {
            setDefault(exempt, "nominalConcurrencyShares", 0);
            setDefault(exempt, "lendablePercent", 0);
        }
    }

    private static void positive(ObjectNode node, String field, int otherwise) {
        if (node.path(field).asInt() == 0) {
            node.put(field, otherwise);
        }
    }

    @Override
    public void validate(ObjectNode level, FieldErrors errors) {
        String name = level.at("/metadata/name").asText();
        JsonNode spec = level.path("spec");
        String type = spec.path("type").asText();
        if (name.equals("catch-all")) {
            FlowSchemaStrategy.fixed(name, spec, BootstrapFlows.levels(), errors);
        }
        if (!List.of("Exempt", "Limited").contains(type)) {
            errors.notSupported("spec.type", type, List.of("Exempt", "Limited"));
            return;
        }
        if (name.equals("exempt") != type.equals("Exempt")) {
            errors.invalid("spec.type", type, "type must be 'Exempt' if and only if `name` is 'exempt'");
        }
        if (type.equals("Exempt")) {
            if (spec.has("limited")) {
                errors.forbidden("spec.limited", "must be nil if the type is not Limited");
            }
            shares(spec.path("exempt"), "spec.exempt", errors);
        } else if (spec.has("exempt")) {
            errors.forbidden("spec.exempt", "must be nil if the type is Limited");
        } else if (!spec.path("limited").isObject()) {
            errors.required("spec.limited", "must not be empty when type is Limited");
        } else {
            limited(spec.path("limited"), errors);
        }
    }

    private static void shares(JsonNode node, String path, FieldErrors errors) {
        int shares = node.path("nominalConcurrencyShares").asInt();
        if (shares < 0) {
            errors.invalid(path + ".nominalConcurrencyShares", shares, "must be a non-negative integer");
        }
        int lendable = node.path("lendablePercent").asInt();
        if (lendable < 0 || lendable > 100) {
            errors.invalid(path + ".lendablePercent", lendable, "must be between 0 and 100, inclusive");
        }
    }

    private static void limited(JsonNode limited, FieldErrors errors) {
        shares(limited, "spec.limited", errors);
        int borrowing = limited.path("borrowingLimitPercent").asInt();
        if (borrowing < 0) {
            errors.invalid("spec.limited.borrowingLimitPercent", borrowing, "must be a non-negative integer");
        }
        JsonNode response = limited.path("limitResponse");
        String path = "spec.limited.limitResponse";
        String type = response.path("type").asText();
        switch (type) {
            case "Reject" -> {
                if (response.hasNonNull("queuing")) {
                    errors.forbidden(path + ".queuing", "must be nil if limited.limitResponse.type is not Limited");
                }
            }
            case "Queue" -> {
                if (response.path("queuing").isObject()) {
                    queuing(response.path("queuing"), path + ".queuing", errors);
                } else {
                    errors.required(path + ".queuing", "must not be empty if limited.limitResponse.type is Limited");
                }
            }
            default -> errors.notSupported(path + ".type", type, List.of("Queue", "Reject"));
        }
    }

    private static void queuing(JsonNode queuing, String path, FieldErrors errors) {
        int queues = queuing.path("queues").asInt();
        int hand = queuing.path("handSize").asInt();
        for (String field : List.of("queueLengthLimit", "queues", "handSize")) {
            if (queuing.path(field).asInt() <= 0) {
                errors.invalid(path + "." + field, queuing.path(field).asInt(), "must be positive");
            }
        }
        if (queues > MOST_QUEUES) {
            errors.invalid(path + ".queues", queues, "must not be greater than " + MOST_QUEUES);
        } else if (hand > queues) {
            errors.invalid(path + ".handSize", hand, "should not be greater than queues (" + queues + ")");
        } else if (hand > 0 && entropy(queues, hand) > MOST_ENTROPY) {
            errors.invalid(
                    path + ".handSize",
                    hand,
                    "required entropy bits of deckSize " + queues + " and handSize " + hand
                            + " should not be greater than " + MOST_ENTROPY);
        }
    }

    /** How many bits it takes to deal such a hand. */
    private static int entropy(int deck, int hand) {
        double bits = 0;
        for (int i = 0; i < Math.min(hand, deck); i++) {
            bits += Math.log(deck - i) / Math.log(2);
        }
        return (int) Math.ceil(bits);
    }
}
