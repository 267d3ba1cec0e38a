package io.argosy.server.flow;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a PriorityLevelConfiguration object says.
 *
 * @param shares of the seats of the whole server
 * @param borrowingPercent how far the level may grow beyond its own seats; -1 for as far as others lend
 * @param queues how many queues requests wait in; 0 if they do not wait but are refused
 */
record LevelSettings(
        String name,
        String uid,
        boolean exempt,
        int shares,
        int lendablePercent,
        int borrowingPercent,
        int queues,
        int handSize,
        int queueLength) {
    static LevelSettings of(JsonNode object) {
        JsonNode spec = object.path("spec");
        boolean exempt = spec.path("type").asText().equals("Exempt");
        JsonNode limits = exempt ? spec.path("exempt") : spec.path("limited");
        JsonNode response = limits.path("limitResponse");
        boolean queues = response.path("type").asText().equals("Queue");
        JsonNode queuing = response.path("queuing");
        return new LevelSettings(
                object.at("/metadata/name").asText(),
                object.at("/metadata/uid").asText(""),
                exempt,
                limits.path("nominalConcurrencyShares").asInt(exempt ? 0 : 30),
                limits.path("lendablePercent").asInt(0),
                limits.path("borrowingLimitPercent").asInt(-1),
                queues ? Math.max(1, queuing.path("queues").asInt(64)) : 0,
                queuing.path("handSize").asInt(8),
                queuing.path("queueLengthLimit").asInt(50));
    }
}
