package io.argosy.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Response;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.model.Models;
import io.argosy.client.model.ResourceType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Model classes over a transport: the one implementation of {@link Client}, in process and over HTTP alike. */
public final class TypedClient implements Client {
    private static final byte[] NOTHING = new byte[0];
    private static final String JSON = "application/json";
    private static final Set<Verb> WRITES =
            Set.of(Verb.CREATE, Verb.UPDATE, Verb.PATCH, Verb.DELETE, Verb.DELETE_COLLECTION);

    private final ApiTransport transport;
    private final Map<String, String> writeQuery;
    private final Map<Class<?>, Resources<?>> resources = new ConcurrentHashMap<>();

    /** A client without a name of its own as field manager; the server takes the name of the program that asks. */
    public TypedClient(ApiTransport transport) {
        this(transport, "");
    }

    /** The field manager is the name under which the server keeps account of the fields this client sets. */
    public TypedClient(ApiTransport transport, String fieldManager) {
        this.transport = transport;
        writeQuery = fieldManager.isEmpty() ? Map.of() : Map.of("fieldManager", fieldManager);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends HasMetadata> Resources<T> resources(Class<T> type) {
        return (Resources<T>) resources.computeIfAbsent(type, key -> new TypedResources<>(type));
    }

    private final class TypedResources<T extends HasMetadata> implements Resources<T> {
        private final Class<T> type;
        private final ResourceType names;

        TypedResources(Class<T> type) {
            this.type = type;
            names = ResourceType.of(type);
        }

        @Override
        public T get(String namespace, String name) {
            return decode(send(Verb.GET, namespace, name, "", Map.of(), "", NOTHING));
        }

        @Override
        public Optional<T> find(String namespace, String name) {
            try {
                return Optional.of(get(namespace, name));
            } catch (ApiException e) {
                if (e.is(Reason.NotFound)) {
                    return Optional.empty();
                }
                throw e;
            }
        }

        @Override
        public List<T> list(String namespace, Map<String, String> query) {
            return listing(namespace, query).items();
        }

        private Models.Listing<T> listing(String namespace, Map<String, String> query) {
            return Models.decodeList(
                    send(Verb.LIST, namespace, "", "", query, "", NOTHING).body(), type);
        }

        @Override
        public T create(T object) {
            return write(Verb.CREATE, namespaceOf(object), "", "", JSON, Models.encode(object));
        }

        @Override
        public T update(T object) {
            return write(Verb.UPDATE, namespaceOf(object), nameOf(object), "", JSON, Models.encode(object));
        }

        @Override
        public T updateStatus(T object) {
            return write(Verb.UPDATE, namespaceOf(object), nameOf(object), "status", JSON, Models.encode(object));
        }

        @Override
        public T patch(String namespace, String name, PatchType patchType, JsonNode patch) {
            return write(Verb.PATCH, namespace, name, "", patchType.mediaType(), Json.encode(patch));
        }

        @Override
        public T patchStatus(String namespace, String name, PatchType patchType, JsonNode patch) {
            return write(Verb.PATCH, namespace, name, "status", patchType.mediaType(), Json.encode(patch));
        }

        @Override
        public T apply(T object, boolean force) {
            ObjectNode wanted = Json.decodeObject(Models.encode(object));
            wanted.put("apiVersion", names.groupVersion().toString()).put("kind", names.kind());
            Map<String, String> query = new HashMap<>(writeQuery);
            query.put("force", Boolean.toString(force));
            return written(send(
                    Verb.PATCH,
                    namespaceOf(object),
                    nameOf(object),
                    "",
                    query,
                    PatchType.APPLY.mediaType(),
                    Json.encode(wanted)));
        }

        @Override
        public String createOnly(T object) {
            Response response = send(Verb.CREATE, namespaceOf(object), "", "", writeQuery, JSON, Models.encode(object));
            note(response);
            return Models.nameOf(response.body());
        }

        @Override
        public void patchStatusOnly(String namespace, String name, PatchType patchType, JsonNode patch) {
            note(send(Verb.PATCH, namespace, name, "status", writeQuery, patchType.mediaType(), Json.encode(patch)));
        }

        private void note(Response response) {
            long revision = Models.revisionOf(response.body());
            WriteLog.note(type, revision > 0 ? revision : response.revision());
        }

        @Override
        public void createSubresource(String namespace, String name, String subresource, Object body) {
            Response response = send(Verb.CREATE, namespace, name, subresource, writeQuery, JSON, Models.encode(body));
            WriteLog.note(type, response.revision());
        }

        @Override
        public void delete(String namespace, String name, DeleteOptions options) {
            Response response = send(Verb.DELETE, namespace, name, "", Map.of(), JSON, encode(options));
            WriteLog.note(type, Math.max(response.revision(), Models.revisionOf(response.body())));
        }

        @Override
        public void deleteAll(String namespace, Map<String, String> query, DeleteOptions options) {
            Response response = send(Verb.DELETE_COLLECTION, namespace, "", "", query, JSON, encode(options));
            // The answer's own revision may lie beyond the last event of this kind; those of its items do not.
            for (T deleted : Models.decodeList(response.body(), type).items()) {
                WriteLog.note(type, Models.revision(deleted.getMetadata().getResourceVersion()));
            }
        }

        /** The object's own revision is preferred: a write that changed nothing made no new one, and none would arrive. */
        private T write(Verb verb, String namespace, String name, String subresource, String contentType, byte[] body) {
            return written(send(verb, namespace, name, subresource, writeQuery, contentType, body));
        }

        private T written(Response response) {
            T object = decode(response);
            long revision = Models.revision(object.getMetadata().getResourceVersion());
            WriteLog.note(type, revision > 0 ? revision : response.revision());
            return object;
        }

        private Response send(
                Verb verb,
                String namespace,
                String name,
                String subresource,
                Map<String, String> query,
                String contentType,
                byte[] body) {
            String place = names.namespaced() && namespace != null ? namespace : "";
            try {
                return transport.send(new Request(
                        verb,
                        names.groupVersion(),
                        names.plural(),
                        place,
                        name,
                        subresource,
                        query,
                        contentType,
                        body));
            } catch (RuntimeException e) {
                if (WRITES.contains(verb) && mayHaveBeenDone(e)) {
                    WriteLog.doubt(type, place, () -> listing(place, Map.of()));
                }
                throw e;
            }
        }

        private T decode(Response response) {
            return Models.decode(response.body(), type);
        }
    }

    /** A refusal is certain; a server that failed, or did not answer, may have done it. */
    private static boolean mayHaveBeenDone(RuntimeException failure) {
        return !(failure instanceof ApiException refusal) || refusal.code() >= 500;
    }

    private static String namespaceOf(HasMetadata object) {
        String namespace = object.getMetadata().getNamespace();
        return namespace == null ? "" : namespace;
    }

    private static String nameOf(HasMetadata object) {
        return object.getMetadata().getName();
    }

    private static byte[] encode(Resources.DeleteOptions options) {
        ObjectNode body = Json.object().put("kind", "DeleteOptions").put("apiVersion", "v1");
        if (options.gracePeriodSeconds() != null) {
            body.put("gracePeriodSeconds", options.gracePeriodSeconds());
        }
        if (options.propagationPolicy() != null) {
            body.put("propagationPolicy", options.propagationPolicy());
        }
        if (options.uid() != null || options.resourceVersion() != null) {
            ObjectNode preconditions = body.putObject("preconditions");
            if (options.uid() != null) {
                preconditions.put("uid", options.uid());
            }
            if (options.resourceVersion() != null) {
                preconditions.put("resourceVersion", options.resourceVersion());
            }
        }
        return Json.encode(body);
    }
}
