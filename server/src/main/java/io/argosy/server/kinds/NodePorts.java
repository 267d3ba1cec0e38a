package io.argosy.server.kinds;

import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import java.util.BitSet;
import java.util.List;

/** Which node ports are taken; thread-safe. The lower part is left to those who ask for one port. */
public final class NodePorts {
    private final int first;
    private final int last;
    private final int firstGiven;
    private final Lot lot;
    private final BitSet taken = new BitSet();

    public NodePorts(int first, int last, Lot lot) {
        this.lot = lot;
        this.first = first;
        this.last = last;
        int size = last - first + 1;
        this.firstGiven = first + Math.min(Math.min(Math.max(16, size / 32), 128), size / 2);
    }

    /** Takes the port a service wants in one of its fields; any that is free where it wants 0. */
    synchronized int take(int wanted, String service, String field) {
        if (wanted == 0) {
            return next();
        }
        if (wanted < first || wanted > last) {
            String why = "provided port is not in the valid range. The range of valid ports is " + first + "-" + last;
            throw invalid(service, field, wanted, why);
        }
        if (taken.get(wanted)) {
            throw taken(service, field, wanted);
        }
        taken.set(wanted);
        return wanted;
    }

    public synchronized void occupy(int port) {
        if (port > 0) {
            taken.set(port);
        }
    }

    public synchronized void free(int port) {
        taken.clear(port);
    }

    private int next() {
        int start = firstGiven + lot.about("node port").nextInt(last - firstGiven + 1);
        int found = taken.nextClearBit(start);
        if (found > last) {
            found = taken.nextClearBit(firstGiven);
        }
        if (found > last) {
            found = taken.nextClearBit(first);
        }
        if (found > last) {
            throw new ApiException(
                    Reason.InternalError, "Internal error occurred: failed to allocate a nodePort: range is full");
        }
        taken.set(found);
        return found;
    }

    static ApiException taken(String service, String field, int port) {
        return invalid(service, field, port, "provided port is already allocated");
    }

    private static ApiException invalid(String service, String field, int port, String why) {
        return ApiException.invalid(
                "",
                "Service",
                service,
                List.of(new Cause("FieldValueInvalid", "Invalid value: " + port + ": " + why, field)));
    }
}
