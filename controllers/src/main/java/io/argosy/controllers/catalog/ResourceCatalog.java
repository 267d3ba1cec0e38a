package io.argosy.controllers.catalog;

import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Every resource the API serves, custom ones included, each in its preferred version; what a controller needs that deals with
 * objects of all kinds.
 */
public interface ResourceCatalog {
    /** All resources that are not subresources, as they are now; throws when they cannot be learnt. */
    List<ApiResource> resources();

    /** What other API servers offer through this one; none where there are no others. */
    default Elsewhere elsewhere() {
        return new Elsewhere(List.of(), Map.of());
    }

    /**
     * Resources that other API servers keep.
     *
     * @param failures why the rest is not known, by the version whose server could not be asked
     */
    record Elsewhere(List<ApiResource> resources, Map<GroupVersion, String> failures) {}

    /**
     * Calls the listener once, as soon as it is time to ask for all resources: while a server starts, who only wants to keep up with them
     * had better not make it find them out.
     */
    default void onceKnown(Runnable listener) {
        listener.run();
    }

    /** Calls the listener whenever a resource may have come or gone. */
    void onChange(Runnable listener);

    /** One resource, and what may be done with it: the verbs of discovery, {@code list}, {@code deletecollection} ... */
    record ApiResource(GroupVersion groupVersion, String resource, String kind, boolean namespaced, Set<String> verbs) {
        public GroupResource groupResource() {
            return new GroupResource(groupVersion.group(), resource);
        }

        public boolean supports(String... wanted) {
            return verbs.containsAll(List.of(wanted));
        }
    }

    /** The resource that holds objects of a kind; a version that is not the preferred one leads to the same objects. */
    default Optional<ApiResource> find(String apiVersion, String kind) {
        String group = GroupVersion.parse(apiVersion).group();
        return resources().stream()
                .filter(resource -> resource.kind().equals(kind)
                        && resource.groupVersion().group().equals(group))
                .findFirst();
    }
}
