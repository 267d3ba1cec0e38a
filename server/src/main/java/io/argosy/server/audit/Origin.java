package io.argosy.server.audit;

import java.util.List;

/**
 * Where a request came from and what it said for itself.
 *
 * @param id tells it apart from all others; what its client calls it, if it calls it something
 * @param addresses those it came through, the client's own first
 */
public record Origin(String id, String uri, List<String> addresses, String agent) {
    private static final int MAX_AGENT = 1024;

    public Origin {
        addresses = List.copyOf(addresses);
        agent = agent.length() > MAX_AGENT ? agent.substring(0, MAX_AGENT) + "...TRUNCATED" : agent;
    }
}
