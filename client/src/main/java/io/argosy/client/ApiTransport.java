package io.argosy.client;

import io.argosy.api.GroupVersion;
import java.util.Map;

/**
 * The door to an API server, in the server's own process or over HTTP; it speaks requests of the API and JSON bytes, so that
 * everything above it is the same on both.
 */
public interface ApiTransport {
    /** Sends one request and waits for the answer; a refusal is an {@link io.argosy.api.status.ApiException}. */
    Response send(Request request);

    /**
     * Opens a watch; events arrive at the sink in order, from one thread at a time. Returns at once; a refusal reaches the sink
     * as {@link WatchSink#closed}.
     */
    Watch watch(Request request, WatchSink sink);

    /** What is asked: a verb on a resource. Empty strings and an empty body stand for "none"; nothing is null. */
    record Request(
            Verb verb,
            GroupVersion groupVersion,
            String resource,
            String namespace,
            String name,
            String subresource,
            Map<String, String> query,
            String contentType,
            byte[] body) {
        /** The same request with these parameters instead. */
        public Request withQuery(Map<String, String> other) {
            return new Request(verb, groupVersion, resource, namespace, name, subresource, other, contentType, body);
        }
    }

    /** What is done with a resource, as rules of access name it too. */
    enum Verb {
        /** Reads one object. */
        GET,
        /** Reads all that are selected. */
        LIST,
        /** Follows all that are selected. */
        WATCH,
        /** Makes a new object, or posts to a subresource. */
        CREATE,
        /** Replaces an object. */
        UPDATE,
        /** Changes a part of an object. */
        PATCH,
        /** Removes one object. */
        DELETE,
        /** Removes all that are selected. */
        DELETE_COLLECTION
    }

    /**
     * The answer's JSON, and the store revision that the request produced or read (0 where the transport cannot tell). For a
     * write it is the revision of the event that watchers of this resource will receive, never a later one.
     */
    record Response(byte[] body, long revision) {}

    /** An open watch. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** Where watch events go. */
    interface WatchSink {
        /** Type is ADDED, MODIFIED, DELETED or BOOKMARK; the object is its JSON at the given revision. */
        void event(String type, byte[] object, long revision);

        /** No more events; the cause is null when the server ended the watch in the ordinary way. */
        void closed(RuntimeException cause);
    }
}
