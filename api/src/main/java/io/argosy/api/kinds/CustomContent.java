package io.argosy.api.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.Shape;
import io.argosy.api.schema.SchemaCheck;
import io.argosy.api.status.FieldErrors;
import java.util.List;
import java.util.Set;

/**
 * What the definition of a custom resource says of its objects in one version: where a built-in kind is asked for its published schema, a
 * custom one is asked here. Immutable; what costs much is made when first asked for.
 */
public interface CustomContent {
    String listKind();

    /** Takes out what the definition does not know, and answers with the paths of that. */
    List<String> clean(ObjectNode object) throws SchemaCheck.MismatchException;

    /** How server-side apply sees the objects. */
    Shape shape();

    /** The fields clients may select objects by, beside name and namespace, as dotted paths. */
    Set<String> selectableFields();

    /** Brings an object that comes from another version into the form of this one: unknown fields out, defaults in. */
    void settle(ObjectNode object);

    /**
     * Tells all that is wrong with an object of this version.
     *
     * @param before as it was; null for a new one
     */
    void validate(ObjectNode object, ObjectNode before, FieldErrors errors);

    /** Turns objects, each of whichever version it says it is of, into objects of another version of the resource; the trees are changed. */
    void convert(List<ObjectNode> objects, String apiVersion);

    /** True where versions differ in more than their names, so that somebody has to be asked; objects are then kept in the version they were written in. */
    boolean isConvertedByOthers();

    /** Where the number of replicas stands that the scale subresource sets, as a dotted path; empty where there is none. */
    String replicasPath();

    /** What clients are told who use this version; none for most. */
    List<String> warnings();
}
