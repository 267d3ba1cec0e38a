package io.argosy.network;

import java.util.List;

/** A Service and the slices that belong to it. */
public record ServiceEntry(ServiceView service, List<EndpointGroup> groups) {
    public ServiceEntry {
        groups = List.copyOf(groups);
    }
}
