package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.ApiObject;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.ResourceCache;
import io.argosy.server.convert.Converter;
import io.argosy.server.registry.ResourceStore;
import io.argosy.store.CompactedException;
import io.argosy.store.Entry;
import io.argosy.store.FutureRevisionException;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import java.util.ArrayList;
import java.util.List;

/** Gets and lists, answered with the bytes that the write made. */
final class Reads {
    private static final String TOKEN_TOO_OLD =
            "The provided continue parameter is too old to display a consistent list result. You can start a new list"
                    + " without the continue parameter, or use the continue token in this response to retrieve the"
                    + " remainder of the results. Continuing with the provided token results in an inconsistent list -"
                    + " objects that were created, modified, or deleted between the time the first chunk was returned and"
                    + " now may show up in the list.";

    /** How many objects are read at once where a selector passes over some. */
    private static final int SELECTED_PAGE = 500;

    private Reads() {}

    static Answer get(ResourceStore store, ResourceRequest request) {
        if (request.params().flag("export")) {
            throw ApiException.badRequest("the export parameter, deprecated since v1.14, is no longer supported");
        }
        String version = request.params().text("resourceVersion");
        if (!version.equals("0")) {
            store.awaitNewest();
        }
        if (!version.isEmpty() && revision(version) > store.shown()) {
            throw tooLarge(version, store.shown());
        }
        CachedObject found = store.get(request.namespace(), request.name());
        if (found.isUninitialized() && !Initialization.isIncluded(request)) {
            throw ApiException.notFound(store.resource(), request.name());
        }
        return Answer.ok(inVersion(found.json(), request.type()), found.revision());
    }

    /** The object in the served version: its own bytes where that is the stored one. */
    static byte[] inVersion(byte[] json, ResourceType type) {
        if (isKeptSo(type)) {
            return json;
        }
        return ApiObject.of(Converter.fromStorage(ApiObject.ofJson(json).tree(), type))
                .json();
    }

    /** True where every stored object has the served version already; where others convert, some may still have an older one. */
    static boolean isKeptSo(ResourceType type) {
        return type.storedAsServed() && !(type.isCustom() && type.custom().isConvertedByOthers());
    }

    static ListAnswer list(ResourceStore store, ResourceRequest request) {
        Selected selected = select(store, request);
        return new ListAnswer(
                request.type(),
                inVersion(selected.objects(), request.type()),
                selected.revision(),
                selected.next(),
                selected.remaining(),
                isKeptSo(request.type()) ? selected.objects() : List.of());
    }

    private static List<byte[]> inVersion(List<CachedObject> objects, ResourceType type) {
        List<byte[]> items = new ArrayList<>(objects.size());
        if (type.isCustom() && !isKeptSo(type)) {
            List<ObjectNode> trees = new ArrayList<>(objects.size());
            objects.forEach(object -> trees.add(Json.decodeObject(object.json())));
            Converter.convert(trees, type);
            trees.forEach(tree -> items.add(ApiObject.of(tree).json()));
        } else {
            objects.forEach(object -> items.add(inVersion(object.json(), type)));
        }
        return items;
    }

    /** The objects of one page, and what is known of the next. */
    record Selected(List<CachedObject> objects, long revision, String next, long remaining) {}

    static Selected select(ResourceStore store, ResourceRequest request) {
        ListQuery query = ListQuery.ofList(request.params());
        Selection selection = Selection.of(request);
        if (!query.version().equals("0")) {
            store.awaitNewest();
        }
        if (!query.token().isEmpty()) {
            Continuation from = Continuation.decode(query.token(), selection.namespace());
            return continued(store, selection, from.isConsistent() ? from : from.at(store.revision()), query.limit());
        }
        if (!query.version().isEmpty() && revision(query.version()) > store.revision()) {
            throw tooLarge(query.version(), store.revision());
        }
        if (query.exact()) {
            return continued(store, selection, new Continuation(revision(query.version()), ""), query.limit());
        }
        ResourceCache.Snapshot snapshot = store.snapshot(selection.namespace());
        return page(snapshot, selection, query.limit());
    }

    private static Selected page(ResourceCache.Snapshot snapshot, Selection selection, int limit) {
        List<CachedObject> all = snapshot.objects();
        long revision = snapshot.revision();
        boolean everything = selection.labels().isEverything()
                && selection.fields().isEverything()
                && (selection.uninitialized() || !snapshot.hides());
        if (everything && (limit <= 0 || all.size() <= limit)) {
            return new Selected(all, revision, "", 0);
        }
        selection.prepare(all);
        List<CachedObject> chosen = new ArrayList<>();
        for (CachedObject object : all) {
            if (selection.matchesContent(object)) {
                if (limit > 0 && chosen.size() == limit) {
                    String next = new Continuation(revision, chosen.getLast().key()).encode();
                    return new Selected(chosen, revision, next, everything ? all.size() - limit : -1);
                }
                chosen.add(object);
            }
        }
        return new Selected(chosen, revision, "", 0);
    }

    /** A later page, from the store's history, at the revision of the first. */
    private static Selected continued(ResourceStore store, Selection selection, Continuation from, int limit) {
        boolean everything =
                selection.labels().isEverything() && selection.fields().isEverything();
        List<CachedObject> chosen = new ArrayList<>();
        String after = from.afterKey();
        int readAhead = everything || limit == 0 ? limit : Math.max(limit, SELECTED_PAGE);
        while (true) {
            Page page = history(store, selection.namespace(), from, after, readAhead);
            for (Entry entry : page.entries()) {
                CachedObject object = store.cache().decode(entry);
                after = object.key();
                if (selection.matchesContent(object)) {
                    chosen.add(object);
                }
                if (limit > 0 && chosen.size() == limit) {
                    break;
                }
            }
            boolean atEnd = !page.more()
                    && (page.entries().isEmpty()
                            || store.cache().keyOf(page.entries().getLast()).equals(after));
            if (atEnd) {
                return new Selected(chosen, from.revision(), "", 0);
            }
            if (limit > 0 && chosen.size() == limit) {
                String next = new Continuation(from.revision(), after).encode();
                return new Selected(chosen, from.revision(), next, everything ? page.remaining() : -1);
            }
        }
    }

    private static Page history(ResourceStore store, String namespace, Continuation from, String after, int limit) {
        String afterKey = after.isEmpty() ? "" : store.storeKey(after);
        try {
            return store.history(namespace, new ListOptions(from.revision(), afterKey, limit));
        } catch (CompactedException gone) {
            if (from.afterKey().isEmpty()) {
                throw new ApiException(Reason.Expired, "The resourceVersion for the provided list is too old.");
            }
            throw new ApiException(Reason.Expired, TOKEN_TOO_OLD)
                    .withContinue(from.inconsistent().encode());
        } catch (FutureRevisionException notYet) {
            throw tooLarge(Long.toString(from.revision()), store.revision());
        }
    }

    static long revision(String version) {
        try {
            long revision = Long.parseLong(version);
            if (revision >= 0) {
                return revision;
            }
        } catch (NumberFormatException notANumber) {
            throw invalidVersion(version);
        }
        throw invalidVersion(version);
    }

    private static ApiException invalidVersion(String version) {
        return ApiException.badRequest("resourceVersion: Invalid value: \"" + version
                + "\": strconv.ParseUint: parsing \"" + version + "\": invalid syntax");
    }

    static ApiException tooLarge(String version, long current) {
        return new ApiException(
                Reason.Timeout,
                "Too large resource version: " + version + ", current: " + current,
                ApiException.Details.NONE
                        .withCauses(List.of(new io.argosy.api.status.Cause(
                                "ResourceVersionTooLarge", "Too large resource version", "")))
                        .withRetryAfter(1));
    }
}
