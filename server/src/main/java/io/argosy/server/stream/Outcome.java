package io.argosy.server.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;

/** How a process in a container ended, in the words of the error stream. */
record Outcome(ObjectNode status) {
    static Outcome success() {
        ObjectNode status = Json.object();
        status.putObject("metadata");
        return new Outcome(status.put("status", "Success"));
    }

    static Outcome exited(int code) {
        if (code == 0) {
            return success();
        }
        Outcome outcome = failure("command terminated with non-zero exit code: exit status " + code, "NonZeroExitCode");
        outcome.status
                .putObject("details")
                .putArray("causes")
                .addObject()
                .put("reason", "ExitCode")
                .put("message", Integer.toString(code));
        return outcome;
    }

    static Outcome broken(String what) {
        Outcome outcome = failure("Internal error occurred: " + what, "InternalError");
        outcome.status.putObject("details").putArray("causes").addObject().put("message", what);
        outcome.status.put("code", 500);
        return outcome;
    }

    private static Outcome failure(String message, String reason) {
        ObjectNode status = Json.object();
        status.putObject("metadata");
        return new Outcome(
                status.put("status", "Failure").put("message", message).put("reason", reason));
    }

    byte[] encode(Protocol protocol) {
        if (protocol.structuredStatus()) {
            return Json.encode(status);
        }
        return status.path("message").asText("").getBytes(StandardCharsets.UTF_8);
    }
}
