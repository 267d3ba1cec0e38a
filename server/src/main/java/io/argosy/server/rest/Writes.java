package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.WriteHabit;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.status.Reason;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.convert.Converter;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.OwnerReferences;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Deleted;
import io.argosy.server.registry.ResourceStore.Written;
import io.argosy.server.registry.WriteOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Creations, updates, patches and deletions: from what the client sent, in its version, to the registry, in the stored one. */
final class Writes {
    private static final GroupVersionKind DELETE_OPTIONS = new GroupVersionKind("", "v1", "DeleteOptions");

    private Writes() {}

    static Answer create(ResourceStore store, ResourceRequest request) {
        List<String> warnings = request.warnings();
        ObjectNode object = Bodies.toStorage(request, warnings::add);
        checkNamespace(object, request);
        OwnerReferences.once(object, warnings::add);
        Written created = store.create(request.namespace(), object, options(request, warnings));
        Written written =
                Initialization.awaited(store, request, Metadata.of(object).name(), created);
        return new Answer(201, Reads.inVersion(written.json(), request.type()), written.revision(), warnings);
    }

    static Answer update(ResourceStore store, ResourceRequest request, Runnable mayCreate) {
        List<String> warnings = request.warnings();
        ObjectNode object = Bodies.toStorage(request, warnings::add);
        checkNamespace(object, request);
        OwnerReferences.once(object, warnings::add);
        String name = Metadata.of(object).name();
        if (name.isEmpty()) {
            throw ApiException.badRequest("name must be provided");
        }
        if (!name.equals(request.name())) {
            throw ApiException.badRequest("the name of the object (" + name + ") does not match the name on the URL ("
                    + request.name() + ")");
        }
        if (request.type().has(WriteHabit.PUT_CREATE)
                && request.subresource().isEmpty()
                && store.find(request.namespace(), name) == null) {
            mayCreate.run();
            try {
                return make(store, request, object.deepCopy());
            } catch (ApiException taken) {
                if (!taken.is(Reason.AlreadyExists)) {
                    throw taken;
                } // somebody else was there first, and it is an update after all
            }
        }
        return change(store, request, before -> object.deepCopy(), warnings);
    }

    /** A PUT to a name that is not there; the version that it was made from does not count any more, the identity does. */
    private static Answer make(ResourceStore store, ResourceRequest request, ObjectNode object) {
        List<String> warnings = request.warnings();
        String uid = Metadata.of(object).uid();
        if (!uid.isEmpty()) {
            throw Subresources.conflict(
                    store, request, "Precondition failed: UID in precondition: " + uid + ", UID in object meta: ");
        }
        Metadata.of(object).node().remove("resourceVersion");
        Written created = store.create(request.namespace(), object, options(request, warnings));
        Written written = Initialization.awaited(store, request, request.name(), created);
        return new Answer(201, Reads.inVersion(written.json(), request.type()), written.revision(), warnings);
    }

    static Answer patch(ResourceStore store, ResourceRequest request, Runnable mayCreate) {
        if (Applies.isApply(request)) {
            return Applies.apply(store, request, mayCreate);
        }
        List<String> warnings = request.warnings();
        GroupVersionKind kind = request.type().groupVersionKind();
        Patches patch = Patches.of(request);
        return change(
                store,
                request,
                before -> {
                    warnings.clear();
                    ObjectNode patched = patch.apply(Converter.fromStorage(before, request.type()));
                    Bodies.checkKind(patched, kind);
                    checkNamespace(patched, request);
                    return patch.toStorage(patched, warnings::add);
                },
                warnings);
    }

    private static Answer change(
            ResourceStore store, ResourceRequest request, UnaryOperator<ObjectNode> change, List<String> warnings) {
        Written written = store.update(
                request.namespace(),
                request.name(),
                request.subresource(),
                before -> versioned(change.apply(before), request),
                options(request, warnings));
        Initialization.endIfFailed(store, request, written);
        return new Answer(200, Reads.inVersion(written.json(), request.type()), written.revision(), warnings);
    }

    /** Refuses a wanted state that does not say which version it was made from, where the last writer must not simply win. */
    private static ObjectNode versioned(ObjectNode wanted, ResourceRequest request) {
        String version = Metadata.of(wanted).resourceVersion();
        if (request.type().has(WriteHabit.PUT_VERSIONED) && (version.isEmpty() || version.equals("0"))) {
            FieldErrors errors = new FieldErrors();
            errors.invalid("metadata.resourceVersion", 0, "must be specified for an update");
            throw ApiException.invalid(
                    request.type().group(), request.type().plural(), request.name(), errors.causes());
        }
        return wanted;
    }

    static Answer delete(ResourceStore store, ResourceRequest request) {
        List<String> warnings = request.warnings();
        DeleteOptions delete = deleteOptions(store, request);
        Deleted deleted =
                store.delete(request.namespace(), request.name(), delete, options(request, warnings, delete.dryRun()));
        boolean shown = !deleted.gone() || request.type().has(WriteHabit.DELETE_OBJECT);
        byte[] json = shown ? Reads.inVersion(deleted.json(), request.type()) : success(request, deleted);
        return new Answer(200, json, deleted.revision(), warnings);
    }

    private static byte[] success(ResourceRequest request, Deleted deleted) {
        ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        status.put("status", "Success");
        ObjectNode details = status.putObject("details").put("name", request.name());
        if (!request.type().group().isEmpty()) {
            details.put("group", request.type().group());
        }
        details.put("kind", request.type().plural());
        details.put(
                "uid",
                Json.decodeObject(deleted.json()).path("metadata").path("uid").asText());
        return Json.encode(status);
    }

    /** Deletes what a list would show, and answers with that list. */
    static ListAnswer deleteCollection(ResourceStore store, ResourceRequest request) {
        DeleteOptions delete = deleteOptions(store, request);
        WriteOptions options = options(request, request.warnings(), delete.dryRun());
        Reads.Selected selected = Reads.select(store, request);
        List<byte[]> deleted = new ArrayList<>();
        long revision = selected.revision();
        for (CachedObject object : selected.objects()) {
            try {
                Deleted outcome = store.delete(object.namespace(), object.name(), delete, options);
                revision = Math.max(revision, outcome.revision());
                deleted.add(Reads.inVersion(outcome.json(), request.type()));
            } catch (ApiException gone) {
                if (!gone.is(Reason.NotFound)) {
                    throw gone;
                }
            }
        }
        return new ListAnswer(request.type(), deleted, revision, selected.next(), selected.remaining());
    }

    /** What the URL says wins over the body. */
    private static DeleteOptions deleteOptions(ResourceStore store, ResourceRequest request) {
        ObjectNode options = Json.object();
        if (request.body().length > 0) {
            JsonNode sent = Bodies.options(request);
            if (!(sent instanceof ObjectNode body)
                    || !body.path("kind").asText(DELETE_OPTIONS.kind()).equals(DELETE_OPTIONS.kind())) {
                throw ApiException.badRequest("the body of a deletion must be of kind DeleteOptions");
            }
            Bodies.clean(body, DELETE_OPTIONS, List.of(), "Ignore", warning -> {});
            options = body;
        }
        Params params = request.params();
        if (!params.text("gracePeriodSeconds").isEmpty()) {
            options.put("gracePeriodSeconds", params.number("gracePeriodSeconds", 0));
        }
        if (!params.text("propagationPolicy").isEmpty()) {
            options.put("propagationPolicy", params.text("propagationPolicy"));
        }
        if (!params.text("orphanDependents").isEmpty()) {
            options.put("orphanDependents", params.flag("orphanDependents"));
        }
        if (request.dryRun()) {
            options.putArray("dryRun").add("All");
        }
        DeleteOptions delete = DeleteOptions.of(options);
        if (request.type().has(WriteHabit.DELETE_ALONE)) {
            return delete.alone();
        }
        if (!request.type().has(WriteHabit.DELETE_ORPHAN)) {
            return delete;
        }
        String warning = store.strategy().orphaningWarning();
        if (delete.propagationPolicy() == null && !warning.isEmpty()) {
            request.warnings().add(warning);
        }
        return delete.orphaningByDefault();
    }

    static WriteOptions options(ResourceRequest request, List<String> warnings) {
        return options(request, warnings, request.dryRun());
    }

    static WriteOptions options(ResourceRequest request, List<String> warnings, boolean dryRun) {
        return new WriteOptions(
                request.user(), dryRun, warnings::add, request.annotations()::put, Applies.writer(request));
    }

    /** Refuses an object of another namespace; what is of none may name one, as manifests do that set it on everything. */
    static void checkNamespace(ObjectNode object, ResourceRequest request) {
        String named = Metadata.of(object).namespace();
        if (!request.type().namespaced()) {
            Metadata.of(object).node().remove("namespace");
            return;
        }
        if (!named.isEmpty() && !named.equals(request.namespace())) {
            throw ApiException.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
        if (request.namespace().isEmpty()) {
            throw ApiException.badRequest("an empty namespace may not be set during creation");
        }
    }
}
