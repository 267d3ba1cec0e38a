package io.argosy.server.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupVersion;

/**
 * A version of the API that another server answers for.
 *
 * @param resources what it has, in the form of {@code APIGroupDiscoveryList}
 * @param fresh whether that is what it said when last asked
 */
public record Extension(
        GroupVersion version, int groupPriority, int versionPriority, JsonNode resources, boolean fresh) {}
