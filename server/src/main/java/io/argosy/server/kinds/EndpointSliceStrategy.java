package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.EndpointRules;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.ObjectWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.function.Consumer;

/** Slices of endpoints: whose they are is said in their labels, so that those count as content. */
final class EndpointSliceStrategy implements Strategy {
    @Override
    public void applyDefaults(ObjectNode slice) {
        SmallDefaults.endpointSlice(slice);
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public boolean countsLabels() {
        return true;
    }

    @Override
    public void prepareForCreate(ObjectNode slice) {
        dropTopology(slice);
    }

    @Override
    public void prepareForUpdate(ObjectNode slice, ObjectNode before, String subresource) {
        if (!slice.path("endpoints").equals(before.path("endpoints"))) {
            dropTopology(slice);
        }
    }

    /** Only what was written in an older version has it, until its endpoints change. */
    private static void dropTopology(ObjectNode slice) {
        Trees.objects(slice, "endpoints").forEach(endpoint -> endpoint.remove("deprecatedTopology"));
    }

    @Override
    public void validateCreate(ObjectNode slice, FieldErrors errors) {
        EndpointRules.slice(new Spot(slice, "", errors), MissingNode.getInstance());
    }

    @Override
    public void validateUpdate(ObjectNode slice, ObjectNode before, String subresource, FieldErrors errors) {
        Spot object = new Spot(slice, "", errors);
        EndpointRules.slice(object, before);
        if (!slice.path("addressType").equals(before.path("addressType"))) {
            object.at("addressType").invalid("field is immutable");
        }
    }

    @Override
    public void warn(ObjectNode slice, ObjectNode before, String subresource, Consumer<String> warnings) {
        ObjectWarnings.endpointSlice(slice, before, new Remarks(warnings));
    }
}
