package io.argosy.client.model;

import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersion;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;

/** Where objects of a model class live in the API, read once from the class's fabric8 annotations. */
public record ResourceType(GroupVersion groupVersion, String plural, String kind, boolean namespaced) {
    private static final ClassValue<ResourceType> KNOWN = new ClassValue<>() {
        @Override
        protected ResourceType computeValue(Class<?> type) {
            return new ResourceType(
                    new GroupVersion(HasMetadata.getGroup(type), HasMetadata.getVersion(type)),
                    HasMetadata.getPlural(type),
                    HasMetadata.getKind(type),
                    Namespaced.class.isAssignableFrom(type));
        }
    };

    /** Where objects of that class live. */
    public static ResourceType of(Class<? extends HasMetadata> type) {
        return KNOWN.get(type);
    }

    /** The resource without its version, as rules of access and errors name it. */
    public GroupResource groupResource() {
        return new GroupResource(groupVersion.group(), plural);
    }
}
