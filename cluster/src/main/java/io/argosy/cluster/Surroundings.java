package io.argosy.cluster;

import io.argosy.api.names.Lot;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.node.simulated.Fleet;
import io.argosy.node.simulated.Scene;
import io.argosy.store.memory.MemoryLog;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * What a cluster takes from whoever starts it: time, chance, the ways its parts go to the API, and what its simulated nodes are like. A
 * test replaces all of it.
 *
 * @param memory where the state is kept instead of in a home; such a cluster has no files and no port
 * @param transports gets a component's name and its way to the API, and says which way it goes
 */
record Surroundings(
        Clock clock,
        Lot lot,
        Optional<MemoryLog> memory,
        Fleet fleet,
        Scene scene,
        BiFunction<String, ApiTransport, ApiTransport> transports,
        Consumer<String> progress) {}
