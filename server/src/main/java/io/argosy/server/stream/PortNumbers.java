package io.argosy.server.stream;

import io.argosy.api.status.ApiException;
import java.util.ArrayList;
import java.util.List;

/** The port numbers that a client asks for. */
final class PortNumbers {
    private PortNumbers() {}

    /** The number, or 0 if the text is not that of a port. */
    static int parse(String text) {
        if (text.isEmpty() || text.length() > 5) {
            return 0;
        }
        int port = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return 0;
            }
            port = port * 10 + text.charAt(i) - '0';
        }
        return port <= 65535 ? port : 0;
    }

    static List<Integer> ofQuery(List<String> values) {
        List<Integer> ports = new ArrayList<>();
        for (String value : values) {
            for (String text : value.split(",", -1)) {
                int port = parse(text);
                if (port == 0) {
                    throw ApiException.badRequest("unable to parse \"" + text + "\" as a port");
                }
                ports.add(port);
            }
        }
        if (ports.isEmpty() || ports.size() > 100) {
            throw ApiException.badRequest("query parameter \"ports\" is required, with at most 100 ports");
        }
        return ports;
    }
}
