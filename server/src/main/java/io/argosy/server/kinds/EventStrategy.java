package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.EventExpiry;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.EventRules;
import io.argosy.server.validation.Spot;
import java.time.Duration;
import java.util.Optional;

/** Events, of which more is asked where they come through their own group. */
final class EventStrategy implements Strategy {
    @Override
    public void applyDefaults(ObjectNode event) {
        SmallDefaults.event(event);
    }

    @Override
    public void validateWrite(ObjectNode event, ObjectNode before, String version, FieldErrors errors) {
        EventRules.check(new Spot(event, "", errors), before == null ? MissingNode.getInstance() : before, version);
    }

    @Override
    public Duration life() {
        return EventExpiry.KEPT;
    }

    @Override
    public Optional<String> nameError(String name) {
        return Names.pathSegmentError(name);
    }
}
