package io.argosy.server.rest;

import java.util.List;

/**
 * What a request on one object comes to.
 *
 * @param json the object, in the version that was asked for
 * @param revision the revision it has or was removed at; 0 if it never got one
 */
@SuppressWarnings("ArrayRecordComponent") // the shared encoding; nobody changes it
public record Answer(int status, byte[] json, long revision, List<String> warnings) {
    static Answer ok(byte[] json, long revision) {
        return new Answer(200, json, revision, List.of());
    }
}
