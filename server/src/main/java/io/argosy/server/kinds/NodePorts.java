package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Which node ports are taken; thread-safe. */
public final class NodePorts {
    private final int first;
    private final int last;
    private final BitSet taken = new BitSet();

    public NodePorts(int first, int last) {
        this.first = first;
        this.last = last;
    }

    /** Reserves the port a service port asks for, or finds it one; those the service already holds stay as they are. */
    synchronized void assign(ObjectNode servicePort, Set<Integer> held) {
        int wanted = servicePort.path("nodePort").asInt();
        if (held.contains(wanted)) {
            return;
        }
        if (wanted == 0) {
            servicePort.put("nodePort", next());
        } else if (wanted < first || wanted > last) {
            throw invalid(
                    wanted,
                    "provided port is not in the valid range. The range of valid ports is " + first + "-" + last);
        } else if (taken.get(wanted)) {
            throw invalid(wanted, "provided port is already allocated");
        } else {
            taken.set(wanted);
        }
    }

    public synchronized void occupy(int port) {
        if (port > 0) {
            taken.set(port);
        }
    }

    synchronized void free(int port) {
        taken.clear(port);
    }

    private int next() {
        int start = first + ThreadLocalRandom.current().nextInt(last - first + 1);
        int found = taken.nextClearBit(start);
        if (found > last) {
            found = taken.nextClearBit(first);
        }
        if (found > last) {
            throw new ApiException(Reason.InternalError, "failed to allocate a nodePort: range is full");
        }
        taken.set(found);
        return found;
    }

    private static ApiException invalid(int port, String why) {
        return ApiException.invalid(
                "",
                "Service",
                "",
                List.of(new Cause(
                        "FieldValueInvalid", "Invalid value: " + port + ": " + why, "spec.ports[0].nodePort")));
    }
}
