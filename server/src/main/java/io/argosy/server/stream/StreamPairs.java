package io.argosy.server.stream;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the two streams of each forwarded connection together: a client opens one for errors and one for data, under the same request number. */
final class StreamPairs {
    private static final int PAIRING_SECONDS = 30;
    private static final Logger LOG = LoggerFactory.getLogger(StreamPairs.class);

    /** Gets each pair when it is complete. */
    interface Forward {
        void begin(int port, ClientStream data, ClientStream error);
    }

    private final Forward forward;
    private final Map<String, ClientStream> single = new HashMap<>();
    private SpdyCarrier carrier;

    StreamPairs(Forward forward) {
        this.forward = forward;
    }

    void on(SpdyCarrier carrier) {
        this.carrier = carrier;
    }

    /** A stream was opened; false if it makes no sense. On the network thread. */
    boolean opened(ClientStream stream) {
        String type = stream.header("streamtype");
        int port = port(stream);
        if (port == 0 || !(type.equals("error") || type.equals("data"))) {
            LOG.debug("refused a stream of type '{}' to port '{}'", type, stream.header("port"));
            return false;
        }
        String request = request(stream, type);
        ClientStream other = single.remove(request);
        if (other == null) {
            single.put(request, stream);
            carrier.context().executor().schedule(() -> giveUp(request, stream), PAIRING_SECONDS, TimeUnit.SECONDS);
            return true;
        }
        if (other.header("streamtype").equals(type) || port(other) != port) {
            single.put(request, other);
            return false;
        }
        boolean isData = type.equals("data");
        forward.begin(port, isData ? stream : other, isData ? other : stream);
        return true;
    }

    private void giveUp(String request, ClientStream stream) {
        if (single.remove(request, stream)) {
            carrier.abort(stream);
        }
    }

    /** Clients from before request numbers open the error stream just before the data stream. */
    private static String request(ClientStream stream, String type) {
        String named = stream.header("requestid");
        if (!named.isEmpty()) {
            return named;
        }
        return "#" + (type.equals("error") ? stream.id() : stream.id() - 2);
    }

    private static int port(ClientStream stream) {
        return PortNumbers.parse(stream.header("port"));
    }
}
